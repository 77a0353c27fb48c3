import Synchronization

/// The user's token: fetched once for all calls that need it, and again when the cluster refuses it.
final class TokenKeeper: Sendable {
  /// A token; none if the cluster has no authentication.
  typealias Fetch = @Sendable () async throws(EtcdError) -> String?

  private enum State {
    case fetching(Task<Result<String?, EtcdError>, Never>)
    case known(String?)
  }

  /// Protects what is known about the token; `nil` for nothing.
  private let state = Mutex<State?>(nil)

  func token(_ fetch: @escaping Fetch) async throws(EtcdError) -> String? {
    let present = state.withLock { state in
      let present = state ?? .fetching(task(fetch))
      state = present
      return present
    }
    switch present {
    case .known(let token): return token
    case .fetching(let task): return try await task.value.get()
    }
  }

  /// Not the caller's task: others wait for the same token, and this caller may be cancelled.
  private func task(_ fetch: @escaping Fetch) -> Task<Result<String?, EtcdError>, Never> {
    Task {
      do throws(EtcdError) {
        let token = try await fetch()
        state.withLock { $0 = .known(token) }
        return .success(token)
      } catch {
        state.withLock { $0 = nil }
        return .failure(error)
      }
    }
  }

  /// Forgets a token that the cluster refused, unless there is a newer one.
  func refuse(_ token: String?) {
    state.withLock { state in
      if case .known(token) = state { state = nil }
    }
  }
}
