//! The thread that talks to the server, so that whoever asks may block wherever they are.

use std::future::Future;
use std::pin::Pin;
use std::thread;

use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::SparkError;

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where jobs are left. The thread ends when it is dropped, after what is running and what was left last.
pub struct Worker {
    jobs: UnboundedSender<Job>,
}

impl Worker {
    /// Starts the thread, makes what it needs inside of its runtime, and hands that out.
    pub fn start<T: Send + 'static>(
        make: impl FnOnce() -> Result<T, SparkError> + Send + 'static,
    ) -> Result<(Self, T), SparkError> {
        let (jobs, inbox) = unbounded_channel();
        let (made, receiver) = std::sync::mpsc::channel();
        let run = move || {
            let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
            runtime.block_on(async {
                // Whoever waits for it may be gone.
                let _ = made.send(make());
                serve(inbox).await;
            });
        };
        thread::Builder::new().name("spark".to_owned()).spawn(run).map_err(|_| SparkError::Thread)?;
        let made = receiver.recv().map_err(|_| SparkError::Thread)??;
        Ok((Self { jobs }, made))
    }

    /// Leaves a job; it runs beside the others. Nothing happens when the thread is gone: its channels are closed then.
    pub fn leave(&self, job: impl Future<Output = ()> + Send + 'static) {
        let _ = self.jobs.send(Box::pin(job));
    }
}

async fn serve(mut inbox: UnboundedReceiver<Job>) {
    let mut running = tokio::task::JoinSet::new();
    while let Some(job) = inbox.recv().await {
        running.spawn(job);
        while running.try_join_next().is_some() {}
    }
    while running.join_next().await.is_some() {}
}
