import InboxModel
import InboxService

/// How a list tells of messages: each form has fragments of its own.
enum ListForm {
    /// The device API's, with absolute URLs.
    case device(PublicBase)
    /// That of `/v1`.
    case martlet

    /// Stands for all that differs between fragments of one form.
    var place: UInt64 {
        switch self {
        case .device(let base): base.hash
        case .martlet: 0
        }
    }

    /// Part of every validator: with it all lists of a form change.
    var rendering: UInt64 {
        switch self {
        case .device(let base): base.hash &+ MessageFragment.version
        case .martlet: ListedMessage.version
        }
    }

    /// What all readers of a message share.
    func fragment(of head: MessageHead) -> [UInt8] {
        switch self {
        case .device(let base): MessageFragment.bytes(of: head, base: base.text)
        case .martlet: ListedMessage.bytes(of: head)
        }
    }

    /// Appends what differs between readers, behind the fragment.
    func appendEnd(of row: ViewRow, to bytes: inout [UInt8]) {
        switch self {
        case .device: bytes += row.isUnread ? "true}".utf8 : "false}".utf8
        case .martlet: ListedMessage.appendEnd(of: row, to: &bytes)
        }
    }
}
