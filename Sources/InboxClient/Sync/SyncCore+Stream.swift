import ClientCore
import InboxModel
import Platform

/// The event stream: open while somebody watches, and opened again when it is lost.
extension SyncCore {
    private var wantsStream: Bool {
        isWatching && isEnabled && options.usesStream && stored.installation?.credential != nil
            && !isAwaitingInstallation
    }

    /// When something is to be done about the stream.
    var streamDue: Duration? {
        switch stream {
        case .closed, .barred: nil
        case .opening(let heard), .open(let heard): heard + options.streamSilence
        case .waiting(let until): until
        }
    }

    mutating func proceedStream(at time: SyncTime) {
        guard wantsStream else { return closeStream() }
        switch stream {
        case .closed: openStream(at: time)
        case .waiting(let until):
            if until <= time.uptime { openStream(at: time) }
        case .opening(let heard), .open(let heard):
            if heard + options.streamSilence <= time.uptime {
                emit(.closeStream)
                lose(at: time, retryAfter: nil)
            }
        case .barred: break
        }
    }

    mutating func takeNews(_ news: StreamNews, at time: SyncTime) {
        switch stream {
        case .opening, .open: break
        case .closed, .waiting, .barred: return  // of a stream that is given up
        }
        switch news {
        case .ready:
            (stream, streamFailures) = (.open(heard: time.uptime), 0)
            wantsRefresh = true
        case .heard: stream = .open(heard: time.uptime)
        case .changed(let within):
            stream = .open(heard: time.uptime)
            follow(within: within, at: time)
        case .ended(let reason, let mayReturn): end(reason, mayReturn, at: time)
        case .lost(let retryAfter): lose(at: time, retryAfter: retryAfter)
        }
    }

    /// Asks at once, or within the time that is given to everybody.
    private mutating func follow(within: Duration?, at time: SyncTime) {
        guard let within, within > .zero, !options.isHasty, !wantsRefresh else {
            (wantsRefresh, refreshDue) = (true, nil)
            return
        }
        let due = time.uptime + within * Double.random(in: 0..<1, using: &random)
        refreshDue = min(refreshDue ?? due, due)
    }

    private mutating func end(_ reason: String, _ mayReturn: Bool, at time: SyncTime) {
        wantsRefresh = true
        guard mayReturn else {
            streamFailures += 1
            stream = .barred
            return
        }
        // Soon: an orderly end is no failure. Not at once: all streams of a server end together.
        stream = .waiting(
            until: time.uptime + options.streamPause * Double.random(in: 0..<1, using: &random))
        guard ["logged_out", "person_changed", "erased"].contains(reason), logins == loginsOfStream else {
            return
        }
        loseLogin(reason)
    }

    /// Who is logged in was changed by somebody else, and the server has done so already.
    private mutating func loseLogin(_ reason: String) {
        pages = nil
        guard let person, stored.confirmed == .person(person), call?.isLogin != true else { return }
        // It may hold what was the person's.
        isPageStale = true
        record(.confirmed(.person(nil)))
        record(.headLogin(Login(nil)))
        if stored.view(of: nil) == nil { record(.view(nil, CachedView())) }
        record(.forget(person))
        tell(.loginChanged(reason: reason))
    }

    /// Gives a stream up that was opened while a login was under way: by that login it ends, as if by somebody else's.
    mutating func renewStream() {
        guard loginsOfStream == logins else { return }
        closeStream()
    }

    private mutating func openStream(at time: SyncTime) {
        stream = .opening(since: time.uptime)
        loginsOfStream = logins
        emit(.openStream)
    }

    mutating func closeStream() {
        switch stream {
        case .opening, .open: emit(.closeStream)
        case .closed, .waiting, .barred: break
        }
        if stream != .barred { stream = .closed }
    }

    /// Opens a stream that was refused again, now that a call has succeeded; not at once, lest both alternate for ever.
    mutating func unbarStream(at time: SyncTime) {
        guard stream == .barred else { return }
        let pause = pause(
            after: streamFailures, from: options.streamPause, atMost: options.longestStreamPause)
        stream = .waiting(until: time.uptime + pause)
    }

    private mutating func lose(at time: SyncTime, retryAfter: Duration?) {
        streamFailures += 1
        let pause = pause(
            after: streamFailures, from: options.streamPause, atMost: options.longestStreamPause)
        stream = .waiting(until: time.uptime + max(pause, retryAfter ?? .zero))
    }
}

extension SyncCall {
    fileprivate var isLogin: Bool {
        switch self {
        case .logIn: true
        case .register, .mark, .list, .changes: false
        }
    }
}
