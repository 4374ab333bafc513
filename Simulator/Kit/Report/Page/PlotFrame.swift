/// The size of a drawing and of the field within its axes, in pixels.
struct PlotFrame {
    let name: String
    let width: Double
    let height: Double

    private static let left = 52.0
    private static let right = 12.0
    private static let top = 30.0
    private static let bottom = 38.0

    /// The whole of a page's width.
    static let broad = PlotFrame(name: "broad", width: 1100, height: 310)
    /// Half of it, or a tablet.
    static let wide = PlotFrame(name: "wide", width: 536, height: 270)
    /// A phone.
    static let narrow = PlotFrame(name: "narrow", width: 340, height: 250)

    /// Where the field begins and ends, from left to right and from the top down.
    var x: ClosedRange<Double> { PlotFrame.left...width - PlotFrame.right }
    var y: ClosedRange<Double> { PlotFrame.top...height - PlotFrame.bottom }

    /// More points than this side by side would be a smear.
    var points: Int { Int((x.upperBound - x.lowerBound) / 2) }

    /// About so many labels fit under the field.
    var labels: Int { max(3, Int((x.upperBound - x.lowerBound) / 60)) }
}

/// A coordinate with one decimal.
func pixel(_ value: Double) -> String { Words.decimal((value * 10).rounded() / 10, 1) }
