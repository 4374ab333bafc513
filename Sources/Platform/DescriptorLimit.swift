#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How many descriptors this process may have open.
package enum DescriptorLimit {
    /// Raises the limit as far as the system lets this process, and returns it; 0 if the system does not say.
    ///
    /// Shells and systemd start programs with a soft limit of 1,024, for those that use `select`.
    @discardableResult
    package static func raise() -> Int {
        #if canImport(Darwin)
            let resource = RLIMIT_NOFILE
        #else
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        let isRaised = setrlimit(resource, &raised) == 0
        return Int(clamping: isRaised ? raised.rlim_cur : limit.rlim_cur)
    }
}
