/// A frame with its two axes, on which plots draw.
struct PlotCanvas {
    let frame: PlotFrame
    let across: PlotScale
    let up: PlotScale

    func x(_ value: Double) -> Double {
        frame.x.lowerBound + across.part(of: value) * (frame.x.upperBound - frame.x.lowerBound)
    }

    func y(_ value: Double) -> Double {
        frame.y.upperBound - up.part(of: value) * (frame.y.upperBound - frame.y.lowerBound)
    }

    /// The drawing around what `content` draws; its text alternative are the two texts.
    func open(
        _ title: String, _ description: String, _ markup: inout Markup, _ content: (inout Markup) -> Void
    ) {
        markup.element(
            "svg",
            [
                "class": "frame-\(frame.name)", "viewBox": "0 0 \(pixel(frame.width)) \(pixel(frame.height))",
                "role": "img", "aria-label": "\(title). \(description)",
            ], content)
    }

    /// Rules, and what stands at them.
    func drawAxes(
        across nameAcross: (Double) -> String, up nameUp: (Double) -> String, _ markup: inout Markup
    ) {
        let (x, y) = (frame.x, frame.y)
        var rules = ""
        for tick in up.ticks {
            rules += "M\(pixel(x.lowerBound)) \(pixel(self.y(tick)))H\(pixel(x.upperBound))"
        }
        markup.empty("path", ["class": "rule", "d": rules])
        for tick in up.ticks {
            markup.element(
                "text", ["class": "end", "x": pixel(x.lowerBound - 6), "y": pixel(self.y(tick) + 4)],
                nameUp(tick))
        }
        for tick in across.ticks {
            let place = self.x(tick)
            markup.empty(
                "path", ["class": "tick", "d": "M\(pixel(place)) \(pixel(y.upperBound))v4"])
            markup.element(
                "text", ["class": "middle", "x": pixel(place), "y": pixel(y.upperBound + 18)],
                nameAcross(tick))
        }
    }

    /// What the axes count.
    func name(across: String, up: String, _ markup: inout Markup) {
        markup.element("text", ["class": "axis", "x": "2", "y": "11"], up)
        markup.element(
            "text", ["class": "axis end", "x": pixel(frame.x.upperBound), "y": pixel(frame.height - 2)],
            across)
    }

    /// A line through the middles of slices, broken where there is no value.
    func path(_ values: [Double?], _ width: Double) -> String {
        var path = ""
        var isDrawing = false
        for (index, value) in values.enumerated() {
            guard let value else {
                isDrawing = false
                continue
            }
            let point = "\(pixel(x((Double(index) + 0.5) * width))) \(pixel(y(value)))"
            let isAlone = !isDrawing && (index + 1 == values.count || values[index + 1] == nil)
            path += isDrawing ? "L\(point)" : "M\(point)"
            // A line of no length, which round ends make a dot.
            if isAlone { path += "h0" }
            isDrawing = true
        }
        return path
    }

    /// A layer in steps, each as wide as a slice.
    func path(from below: [Double], to above: [Double], _ width: Double) -> String {
        func edge(_ index: Int) -> String { pixel(x(Double(index) * width)) }
        var path = "M\(edge(0)) \(pixel(y(below.first ?? 0)))"
        for (index, value) in above.enumerated() { path += "V\(pixel(y(value)))H\(edge(index + 1))" }
        for (index, value) in below.enumerated().reversed() { path += "V\(pixel(y(value)))H\(edge(index))" }
        return path + "Z"
    }
}
