/// One line or layer of a plot.
struct PlotSeries {
    let name: String
    let colour: Colour
    /// A value for each slice; nothing where there was none.
    let values: [Double?]

    /// Which of the style sheet's colours.
    enum Colour: String, CaseIterable {
        case blue, orange, red, green, violet, teal, grey
    }

    init(_ name: String, _ colour: Colour, _ values: [Double?]) {
        self.name = name
        self.colour = colour
        self.values = values
    }
}
