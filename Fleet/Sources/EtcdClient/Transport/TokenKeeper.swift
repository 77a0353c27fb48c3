import Synchronization

/// The user's token: fetched once for all calls that need it, and again when the cluster refuses it.
final class TokenKeeper: Sendable {
  /// A token; none if the cluster has no authentication.
  typealias Fetch = @Sendable () async throws(EtcdError) -> String?

  private enum State {
    case none
    case fetching(Task<Result<String?, EtcdError>, Never>)
    case known(String?)
  }

  private enum Wanted {
    case known(String?)
    case fetched(Task<Result<String?, EtcdError>, Never>)
  }

  /// Protects what is known about the token.
  private let state = Mutex(State.none)

  func token(_ fetch: @escaping Fetch) async throws(EtcdError) -> String? {
    let wanted = state.withLock { state in
      switch state {
      case .known(let token):
        return Wanted.known(token)
      case .fetching(let task):
        return .fetched(task)
      case .none:
        // Not the caller's task: others wait for the same token, and this caller may be cancelled.
        let task = Task<Result<String?, EtcdError>, Never> {
          let result: Result<String?, EtcdError>
          do throws(EtcdError) { result = .success(try await fetch()) } catch { result = .failure(error) }
          self.fetched(result)
          return result
        }
        state = .fetching(task)
        return .fetched(task)
      }
    }
    switch wanted {
    case .known(let token): return token
    case .fetched(let task): return try await task.value.get()
    }
  }

  /// Forgets a token that the cluster refused, unless there is a newer one.
  func refuse(_ token: String?) {
    state.withLock { state in
      if case .known(token) = state { state = .none }
    }
  }

  private func fetched(_ result: Result<String?, EtcdError>) {
    state.withLock { state in
      state = if case .success(let token) = result { .known(token) } else { .none }
    }
  }
}
