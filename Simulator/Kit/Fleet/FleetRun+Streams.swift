import ClientCore
import HTTPCore
import InboxClient
import Platform

/// Event streams of devices.
extension FleetRun {
    func openStream(_ device: Int) {
        let installation = devices[device].core.stored.installation
        guard let door = ground.streams, let credential = installation?.credential,
            let request = wire(of: device).stream(of: credential), devices[device].isOnline
        else { return handleLater(.lost(retryAfter: nil), device) }
        devices[device].hints = HintReader()
        devices[device].streams += 1
        openStreams += 1
        let (number, opened) = (devices[device].streams, clock.now())
        devices[device].stream = door.openStream(request, to: base(of: device)) { part in
            self.assumeIsolated { run in
                // What comes of a stream that was given up is nobody's.
                guard run.devices[device].stream != nil, run.devices[device].streams == number else { return }
                run.take(part, device, since: opened)
            }
        }
    }

    func closeStream(_ device: Int) {
        guard let stream = devices[device].stream else { return }
        devices[device].stream = nil
        openStreams -= 1
        hintWatch?.closed(device)
        stream.cancel()
    }

    /// The network took the stream away.
    func dropStream(_ device: Int) {
        guard devices[device].stream != nil else { return }
        closeStream(device)
        handle(.stream(.lost(retryAfter: nil)), device)
    }

    private func handleLater(_ news: StreamNews, _ device: Int) {
        begin { run in run.handle(.stream(news), device) }
    }

    private func listen(to news: StreamNews, _ device: Int) {
        switch news {
        case .ready: hintWatch?.opened(device, at: elapsed.milliseconds)
        case .changed: hintWatch?.heard(device, at: elapsed.milliseconds)
        case .ended: closeStream(device)
        case .heard, .lost: break
        }
    }

    private func take(_ part: StreamPart, _ device: Int, since opened: Duration) {
        switch part {
        case .head(let response):
            recorder.request(.stream, .status(response.status), after: clock.now() - opened, at: loadTimeNow)
            guard let refusal = StreamNews(refusal: response) else { return }
            closeStream(device)
            handle(.stream(refusal), device)
        case .bytes(let bytes):
            for news in devices[device].hints.read(bytes) {
                listen(to: news, device)
                handle(.stream(news), device)
            }
        case .end: dropStream(device)
        }
    }
}
