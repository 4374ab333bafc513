import Foundation
package import HTTPCore
import InboxModel
import InboxService
package import InboxWire

extension Response {
    /// The same, where a refused bearer is told so: at the word `Basic` a browser would ask its user for a password.
    ///
    /// Pages call `/v1` alone; on the other APIs Basic is named always, as their published clients know it.
    func challenging(_ request: Request, on surface: Surface) -> Response {
        guard status == 401, surface == .martlet, case .bearer? = Authorization(request) else { return self }
        var response = self
        response.headers.remove("WWW-Authenticate")
        response.headers.add("WWW-Authenticate", "Bearer realm=\"martlet\", error=\"invalid_token\"")
        return response
    }
}

extension Shard {
    /// The answer to whatever a handler threw; a fault of ours is logged once, with the reference that the caller gets.
    func failure(_ error: any Error, on surface: Surface) -> Response {
        switch error {
        case let error as InboxError: refusal(WireError(error), on: surface)
        case let error as WireError: refusal(error, on: surface)
        case let fault as StoreFault: refusal(logged(fault), on: surface)
        default: refusal(.internalFault(reference: logged("\(type(of: error))")), on: surface)
        }
    }

    /// An error in the form of a surface, with the headers that its status asks for.
    package nonisolated func refusal(_ error: WireError, on surface: Surface) -> Response {
        var response: Response
        switch surface {
        case .device, .server:
            response = Response(status: error.status, body: error.vendorBody(operationID: newReference()))
            response.headers.add("Content-Type", WireError.vendorMediaType)
        case .martlet, .operations:
            response = Response(status: error.status, body: error.problemBody())
            response.headers.add("Content-Type", WireError.problemMediaType)
        }
        switch error.status {
        case 401: response.headers.add("WWW-Authenticate", "Basic realm=\"martlet\", charset=\"UTF-8\"")
        case 429, 503: response.headers.add("Retry-After", "\(error.retryAfter ?? 1)")
        default: break
        }
        return response
    }

    private func logged(_ fault: StoreFault) -> WireError {
        switch fault {
        case .unavailable: .unavailable(reference: logged("\(fault)"))
        case .outcomeUnknown: .outcomeUnknown(reference: logged("\(fault)"))
        case .broken: .internalFault(reference: logged("\(fault)"))
        }
    }

    /// Logs a fault and returns the reference under which it stands there.
    private func logged(_ fault: String) -> String {
        let reference = newReference()
        configuration.log("fault \(reference): \(fault)")
        return reference
    }

    private nonisolated func newReference() -> String { UUID().uuidString.lowercased() }
}
