public import NIOCore

/// Where a cluster is, and how a client identifies itself.
public struct EtcdConfiguration: Sendable {
  /// The members' client addresses, such as `https://10.0.0.1:2379`. They are tried in this order. Members speak
  /// HTTP/2, and so must anything that stands between.
  public var endpoints: [String]
  /// The certificates, for `https` endpoints.
  public var tls: EtcdTLS?
  /// The user that the cluster's roles are given to. Without one, the user is the common name of the client's
  /// certificate.
  public var credentials: EtcdCredentials?
  /// Reads what the credentials are by now. It is called when the cluster has refused those that were used last, so that a
  /// new password is used without a restart.
  public var renewedCredentials: (@Sendable () -> EtcdCredentials?)?
  /// How long a call may take over all endpoints that it tries, while nothing comes. It renews with each part of an answer
  /// and with a connection that comes about.
  public var deadline: Duration
  /// After which time without a word from a member it is asked for one, over each connection; `nil` if never. A connection
  /// on which nothing has come after that time again is closed: something in between may acknowledge what nobody reads.
  public var pingInterval: Duration? = .seconds(15)
  /// The threads to choose from; the process's shared ones if `nil`. A client uses one for each endpoint.
  public var eventLoopGroup: (any EventLoopGroup)?

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - endpoints: The members' client addresses.
  ///   - tls: The certificates, for `https` endpoints.
  ///   - credentials: The user and the password, for a cluster with authentication.
  ///   - deadline: How long a call may take while nothing comes.
  public init(
    endpoints: [String], tls: EtcdTLS? = nil, credentials: EtcdCredentials? = nil, deadline: Duration = .seconds(1)
  ) {
    self.endpoints = endpoints
    self.tls = tls
    self.credentials = credentials
    self.deadline = deadline
  }
}

/// A user of the cluster.
public struct EtcdCredentials: Sendable, Hashable {
  /// The user's name.
  public var user: String
  /// The user's password.
  public var password: String

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - user: The user's name.
  ///   - password: The user's password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

/// The certificates of a connection, as PEM files. They are read when the client is created, and again for the first
/// connection after they were changed.
///
/// A cluster with both client certificates and authentication takes the common name of the certificate's subject for the
/// user, unless there are ``EtcdConfiguration/credentials``.
public struct EtcdTLS: Sendable, Hashable {
  /// The authorities that may sign the members' certificates; the system's if `nil`.
  public var authorityFile: String?
  /// The client's certificate, followed by the intermediate ones.
  public var certificateFile: String?
  /// The private key of the client's certificate.
  public var keyFile: String?

  /// Creates a description of the certificates.
  ///
  /// - Parameters:
  ///   - authorityFile: The authorities that may sign the members' certificates.
  ///   - certificateFile: The client's certificate.
  ///   - keyFile: The private key of the client's certificate.
  public init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
    self.authorityFile = authorityFile
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}
