//! The calls of Spark Connect's service, one after the other, on one channel.
//!
//! **Guarantee.** Every request names the server's session that the first answer named. A server that was started again, or that
//! has let the session go, therefore refuses: no statement ever runs in a session whose settings nobody made.

use std::sync::Mutex;
use std::time::Duration;

use prost::Message;
use tonic::client::Grpc;
use tonic::metadata::MetadataValue;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Request, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::messages::{
    AnalyzePlanRequest, AnalyzePlanResponse, ConfigOperation, ConfigRequest, ConfigResponse,
    ExecutePlanRequest, ExecutePlanResponse, InterruptRequest, InterruptResponse, InterruptType, Plan,
    ReleaseSessionRequest, ReleaseSessionResponse, UserContext,
};
use crate::{Address, SparkError, Token};

/// Spark's own limit for one message.
const MESSAGE_BYTES_MAX: usize = 128 << 20;
/// Spark puts what it says of an error into headers.
const HEADER_BYTES_MAX: u32 = 64 << 10;
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// A connection over which nothing comes is looked at. Not pings of HTTP/2: Spark's server takes many of them for an attack.
const TCP_KEEPALIVE: Duration = Duration::from_secs(30);
const CLIENT: &str = concat!("pointillist/", env!("CARGO_PKG_VERSION"));

/// One session's calls.
pub struct Rpc {
    channel: Channel,
    server: String,
    session: String,
    user: String,
    token: Option<Token>,
    /// The server's own name for the session, once it was heard.
    observed: Mutex<Option<String>>,
}

impl Rpc {
    /// Inside of a runtime. Connects with the first call.
    pub fn new(address: &Address, token: Option<Token>, session: String) -> Result<Self, SparkError> {
        if token.is_some() && address.is_open_network() {
            return Err(SparkError::OpenToken);
        }
        let mut endpoint = Endpoint::from_shared(address.uri())
            .map_err(|_| SparkError::Protocol)?
            .connect_timeout(CONNECT_MAX)
            .tcp_keepalive(Some(TCP_KEEPALIVE))
            .http2_max_header_list_size(HEADER_BYTES_MAX);
        if let Some(path) = address.roots_file() {
            let roots = || SparkError::Roots { path: path.display().to_string() };
            let pem = std::fs::read(&path).map_err(|_| roots())?;
            let tls =
                ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)).domain_name(address.host());
            endpoint = endpoint.tls_config(tls).map_err(|_| roots())?;
        }
        Ok(Self {
            channel: endpoint.connect_lazy(),
            server: address.to_string(),
            session,
            user: address.user().to_owned(),
            token,
            observed: Mutex::new(None),
        })
    }

    pub async fn configure(&self, operation: ConfigOperation) -> Result<ConfigResponse, SparkError> {
        let request = ConfigRequest {
            session_id: self.session.clone(),
            user_context: self.user_context(),
            operation: Some(operation),
            client_type: client(),
            client_observed_server_side_session_id: self.observed(),
        };
        let answer: ConfigResponse = self.unary("Config", request).await?;
        self.observe(&answer.server_side_session_id)?;
        Ok(answer)
    }

    /// What `ask` fills in is asked.
    pub async fn analyze(&self, ask: AnalyzePlanRequest) -> Result<AnalyzePlanResponse, SparkError> {
        let request = AnalyzePlanRequest {
            session_id: self.session.clone(),
            user_context: self.user_context(),
            client_type: client(),
            client_observed_server_side_session_id: self.observed(),
            ..ask
        };
        let answer: AnalyzePlanResponse = self.unary("AnalyzePlan", request).await?;
        self.observe(&answer.server_side_session_id)?;
        Ok(answer)
    }

    /// Begins to run a plan; the answers come one after the other.
    pub async fn execute(&self, plan: Plan, operation: String) -> Result<Answers<'_>, SparkError> {
        let request = ExecutePlanRequest {
            session_id: self.session.clone(),
            user_context: self.user_context(),
            plan: Some(plan),
            client_type: client(),
            operation_id: Some(operation),
            client_observed_server_side_session_id: self.observed(),
        };
        let mut grpc = self.ready().await?;
        let path = path("ExecutePlan")?;
        let codec: ProstCodec<ExecutePlanRequest, ExecutePlanResponse> = ProstCodec::default();
        let answer = grpc.server_streaming(self.request(request)?, path, codec).await;
        Ok(Answers { stream: answer.map_err(|status| self.failed(&status))?.into_inner(), rpc: self })
    }

    pub async fn interrupt(&self, operation: String) -> Result<InterruptResponse, SparkError> {
        let request = InterruptRequest {
            session_id: self.session.clone(),
            user_context: self.user_context(),
            client_type: client(),
            interrupt_type: InterruptType::OperationId.into(),
            operation_id: Some(operation),
        };
        self.unary("Interrupt", request).await
    }

    pub async fn release(&self) -> Result<ReleaseSessionResponse, SparkError> {
        let request = ReleaseSessionRequest {
            session_id: self.session.clone(),
            user_context: self.user_context(),
            client_type: client(),
        };
        self.unary("ReleaseSession", request).await
    }

    async fn unary<Q, A>(&self, method: &str, message: Q) -> Result<A, SparkError>
    where
        Q: Message + Default + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.ready().await?;
        let codec: ProstCodec<Q, A> = ProstCodec::default();
        let answer = grpc.unary(self.request(message)?, path(method)?, codec).await;
        Ok(answer.map_err(|status| self.failed(&status))?.into_inner())
    }

    async fn ready(&self) -> Result<Grpc<Channel>, SparkError> {
        let mut grpc = Grpc::new(self.channel.clone()).max_decoding_message_size(MESSAGE_BYTES_MAX);
        grpc.ready().await.map_err(|_| SparkError::Unreachable { server: self.server.clone() })?;
        Ok(grpc)
    }

    fn request<Q>(&self, message: Q) -> Result<Request<Q>, SparkError> {
        let mut request = Request::new(message);
        if let Some(token) = &self.token {
            let mut header: MetadataValue<_> =
                token.header().parse().map_err(|_| SparkError::Authentication)?;
            header.set_sensitive(true);
            request.metadata_mut().insert("authorization", header);
        }
        Ok(request)
    }

    fn user_context(&self) -> Option<UserContext> {
        Some(UserContext { user_id: self.user.clone(), user_name: self.user.clone() })
    }

    fn observed(&self) -> Option<String> {
        self.observed.lock().ok().and_then(|observed| observed.clone())
    }

    fn observe(&self, heard: &str) -> Result<(), SparkError> {
        let mut observed = self.observed.lock().map_err(|_| SparkError::Protocol)?;
        match observed.as_deref() {
            // Spark has named its sessions since 4.0, and settings of one that it does not name prove nothing.
            _ if heard.is_empty() => Err(SparkError::Protocol),
            Some(known) if known != heard => Err(SparkError::SessionLost),
            Some(_) => Ok(()),
            None => {
                *observed = Some(heard.to_owned());
                Ok(())
            }
        }
    }

    fn failed(&self, status: &Status) -> SparkError {
        SparkError::from_status(status, &self.server)
    }
}

/// What Spark answers while a plan runs.
pub struct Answers<'a> {
    stream: Streaming<ExecutePlanResponse>,
    rpc: &'a Rpc,
}

impl Answers<'_> {
    /// The next one; `None` after the last, and only where the server said that it was the last.
    pub async fn next(&mut self) -> Result<Option<ExecutePlanResponse>, SparkError> {
        let answer = self.stream.message().await.map_err(|status| self.rpc.failed(&status))?;
        if let Some(answer) = &answer {
            self.rpc.observe(&answer.server_side_session_id)?;
        }
        Ok(answer)
    }
}

fn client() -> Option<String> {
    Some(CLIENT.to_owned())
}

fn path<T: std::str::FromStr>(method: &str) -> Result<T, SparkError> {
    format!("/spark.connect.SparkConnectService/{method}").parse().map_err(|_| SparkError::Protocol)
}
