/// How the page looks, by light and by dark, on a desk and on a phone.
enum PageStyle {
    static let sheet: StaticString = """

        :root {
          color-scheme: light dark;
          --page: #f6f6f3; --card: #ffffff; --line: #e3e3dd; --grid: #ecece7;
          --text: #1f2428; --quiet: #656c73;
          --blue: #2f6fb3; --orange: #d07a1f; --red: #b6403a; --green: #3f8f5f;
          --violet: #7d5ba6; --teal: #2c8c94; --grey: #a3a9af;
          --right: #2f7d4f; --right-back: #e8f3ec; --wrong: #a8322c; --wrong-back: #fae9e7;
          --warning: #8a5a00; --warning-back: #fbf1dc;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #14171a; --card: #1b1f23; --line: #2c3238; --grid: #262c31;
            --text: #e4e7ea; --quiet: #98a1a9;
            --blue: #6aa5e3; --orange: #e3a052; --red: #e0756d; --green: #6dbb8a;
            --violet: #b094d6; --teal: #5fbcc3; --grey: #707880;
            --right: #7fce9e; --right-back: #16291e; --wrong: #f08d85; --wrong-back: #331b1a;
            --warning: #e6bb63; --warning-back: #2d2412;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--page); color: var(--text);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
          font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%; overflow-wrap: break-word;
        }
        main { max-width: 1200px; margin: 0 auto; padding: 32px 20px 48px; }
        h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; font-weight: 650; letter-spacing: -0.01em; }
        h2 { font-size: 18px; margin: 24px 0 0; font-weight: 620; grid-column: 1 / -1; }
        h3 { font-size: 15px; margin: 0; font-weight: 620; }
        .note { color: var(--quiet); font-size: 13px; margin: 0; }
        .none { color: var(--quiet); margin: 12px 0 0; }
        .verdict {
          display: flex; gap: 12px; align-items: baseline; margin: 16px 0 0; padding: 12px 16px;
          border-radius: 10px; border: 1px solid; font-weight: 600; font-size: 17px;
        }
        .verdict .sign { font-weight: 700; width: 1em; flex: none; text-align: center; }
        .right { color: var(--right); background: var(--right-back); }
        .wrong { color: var(--wrong); background: var(--wrong-back); }
        .warning {
          color: var(--warning); background: var(--warning-back);
          font-size: 15px; font-weight: 500; margin-top: 8px;
        }
        .tiles {
          display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 1px; padding: 0;
          margin: 20px 0 0; background: var(--line); border: 1px solid var(--line); border-radius: 10px;
          overflow: hidden;
        }
        .tile { background: var(--card); padding: 12px 16px 14px; min-width: 0; }
        .tile dt { color: var(--quiet); font-size: 13px; }
        .tile dd { margin: 0; }
        .tile .value { font-size: 25px; line-height: 1.3; font-weight: 620; letter-spacing: -0.01em; }
        .tile .note { font-size: 12.5px; }
        .grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; }
        .card {
          margin: 0; padding: 16px; background: var(--card); border: 1px solid var(--line);
          border-radius: 10px; min-width: 0;
        }
        .across { grid-column: 1 / -1; }
        .legend {
          display: flex; flex-wrap: wrap; gap: 2px 16px; list-style: none; margin: 8px 0 0; padding: 0;
          font-size: 13px;
        }
        .legend i {
          display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin-right: 6px;
          vertical-align: middle; background: currentColor;
        }
        svg { display: block; width: 100%; height: auto; margin: 12px 0 4px; overflow: visible; }
        svg text { font-size: 11.5px; fill: var(--quiet); }
        svg .mark { paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; }
        .end { text-anchor: end; }
        .middle { text-anchor: middle; }
        .rule { stroke: var(--grid); fill: none; }
        .tick { stroke: var(--grey); fill: none; }
        .line { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
        .line.orange { stroke-width: 2.6; }
        .line.red { stroke-width: 1.2; }
        .line.grey { stroke-width: 1.6; stroke-dasharray: 0 4; }
        .layer { fill: currentColor; stroke: none; opacity: 0.88; }
        .bar { fill: var(--blue); opacity: 0.88; }
        .limit { fill: none; stroke: var(--quiet); stroke-dasharray: 3 4; }
        .hover rect { fill: var(--text); opacity: 0; }
        .hover rect:hover { opacity: 0.08; }
        .blue { color: var(--blue); } .orange { color: var(--orange); } .red { color: var(--red); }
        .green { color: var(--green); } .violet { color: var(--violet); } .teal { color: var(--teal); }
        .grey { color: var(--grey); }
        details { margin-top: 4px; font-size: 13px; }
        summary { color: var(--quiet); cursor: pointer; width: max-content; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; margin-top: 8px; font-size: 13.5px; }
        th, td { padding: 5px 0 5px 16px; text-align: right; border-bottom: 1px solid var(--line); font-weight: 400; }
        td { white-space: nowrap; }
        th:first-child { text-align: left; padding-left: 0; }
        thead th { color: var(--quiet); font-size: 12.5px; white-space: nowrap; }
        tbody tr:last-child > * { border-bottom: 0; }
        .lines {
          margin: 8px 0 0; padding-left: 28px;
          font: 13px/1.6 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
          overflow-wrap: anywhere;
        }
        footer { color: var(--quiet); font-size: 13px; margin-top: 24px; max-width: 80ch; }
        .frame-wide, .frame-narrow { display: none; }
        .card:not(.across) .frame-wide { display: block; }
        @media (max-width: 1000px) {
          .frame-broad { display: none; }
          .frame-wide { display: block; max-width: 640px; }
          .tiles { grid-template-columns: 1fr 1fr; }
          .grid { grid-template-columns: minmax(0, 1fr); }
        }
        @media (max-width: 560px) {
          main { padding: 20px 12px 32px; }
          h1 { font-size: 22px; }
          .card { padding: 12px; }
          .tile { padding: 10px 12px; }
          .tile .value { font-size: 20px; }
          .frame-wide, .card:not(.across) .frame-wide { display: none; }
          .frame-narrow { display: block; }
        }
        @media print { body { background: none; } .card, .tile { break-inside: avoid; } }

        """
}
