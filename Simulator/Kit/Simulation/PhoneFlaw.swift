/// A way in which a simulated device is wrong on purpose: each must be found.
package enum PhoneFlaw: String, Sendable, CaseIterable {
    /// Now and then a change is not kept.
    case forgetsSaves
    /// A mark that waits is gone after a restart.
    case dropsMarks
    /// An answer that comes too late is taken for the answer to the next call.
    case takesLateAnswers
    /// Pages of changes are taken in another order than they came.
    case takesOldPages
    /// What was shown of one person stays when another logs in.
    case showsPersonBefore
    /// Nobody wakes it.
    case sleepsOn
    /// Marks are taken for told that nobody was told of.
    case believesMarks
    /// Likewise logins.
    case believesLogins
    /// A login that is refused takes the one with it that was made since.
    case losesLogins
    /// Expired messages stay for an hour.
    case keepsExpired
    /// What is done while a call is under way is lost.
    case ignoresMarks
    /// Its own deletions are not shown.
    case showsDeleted
    /// It asks again before the answer is there.
    case asksTwice
}
