//! A limit on the large pages that are rendered at once, so that any number of visitors needs a
//! limited amount of memory.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::access::is_read;
use crate::error::ErrorResponse;
use crate::request_layer::run_to_end;

/// The number of pages that are rendered at once.
const RENDERS_MAX: usize = 8;

/// The number of waiting requests; the next one is refused.
const QUEUE_MAX: usize = 32;

/// The pages that are being rendered, and the requests that wait.
#[derive(Debug, Clone)]
pub(crate) struct RenderQueue {
    renders: Arc<Semaphore>,
    /// One permit for each page that is rendered and each request that waits.
    admitted: Arc<Semaphore>,
}

/// The permit of one request, held until its page is rendered.
struct RenderPermit {
    _render: OwnedSemaphorePermit,
    _admission: OwnedSemaphorePermit,
}

impl RenderQueue {
    pub(crate) fn new() -> Self {
        Self {
            renders: Arc::new(Semaphore::new(RENDERS_MAX)),
            admitted: Arc::new(Semaphore::new(RENDERS_MAX + QUEUE_MAX)),
        }
    }

    /// Waits for a permit; none if too many requests wait already.
    async fn wait(&self) -> Option<RenderPermit> {
        let admission = Arc::clone(&self.admitted).try_acquire_owned().ok()?;
        let render = Arc::clone(&self.renders).acquire_owned().await.ok()?;
        Some(RenderPermit { _render: render, _admission: admission })
    }
}

/// Renders the page with a permit, or responds with 503 if too many requests wait. Requests that
/// write pass at once: their responses are small.
pub(crate) async fn limit_renders(
    State(queue): State<RenderQueue>,
    request: Request,
    next: Next,
) -> Response {
    if !is_read(request.method()) {
        return next.run(request).await;
    }
    let Some(permit) = queue.wait().await else {
        return ErrorResponse::too_many_renders().into_response();
    };
    // The page is rendered to its end even if the client disconnects, so that it stays counted.
    let rendering = async move {
        let response = next.run(request).await;
        drop(permit);
        response
    };
    run_to_end(rendering).await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::Router;
    use axum::body::Body;
    use axum::http::{Request, StatusCode};
    use axum::middleware::from_fn_with_state;
    use axum::response::Response;
    use axum::routing::get;
    use tokio::sync::Semaphore;
    use tower::ServiceExt as _;

    use super::{QUEUE_MAX, RENDERS_MAX, RenderQueue, limit_renders};

    /// A page that is rendered when `open` has a permit for it; `begun` counts the pages in
    /// progress.
    fn router(begun: &Arc<Semaphore>, open: &Arc<Semaphore>) -> Router {
        let (begun, open) = (Arc::clone(begun), Arc::clone(open));
        let page = move || async move {
            begun.add_permits(1);
            open.acquire().await.expect("the test keeps it open").forget();
            "the page"
        };
        let layer = from_fn_with_state(RenderQueue::new(), limit_renders);
        Router::new().route("/", get(page)).layer(layer)
    }

    fn ask(router: &Router) -> tokio::task::JoinHandle<Response> {
        let router = router.clone();
        let request = Request::new(Body::empty());
        tokio::spawn(async move { router.oneshot(request).await.expect("it cannot fail") })
    }

    #[tokio::test]
    async fn request_41_is_refused_and_the_others_complete() {
        let (begun, open) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let router = router(&begun, &open);
        let tasks: Vec<_> = (0..RENDERS_MAX + QUEUE_MAX).map(|_| ask(&router)).collect();
        // On one thread every request was polled, and waits, before the first page is begun.
        begun.acquire_many(8).await.expect("the test keeps it open").forget();
        let refused = ask(&router).await.expect("it does not panic");
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(refused.headers()["retry-after"], "1");
        assert_eq!(begun.available_permits(), 0, "more than eight are made at once");
        open.add_permits(tasks.len());
        for one in tasks {
            assert_eq!(one.await.expect("it does not panic").status(), StatusCode::OK);
        }
        open.add_permits(1);
        assert_eq!(ask(&router).await.expect("it does not panic").status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn page_of_a_client_that_left_is_counted_until_it_is_made() {
        let (begun, open) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let router = router(&begun, &open);
        let eight: Vec<_> = (0..RENDERS_MAX).map(|_| ask(&router)).collect();
        begun.acquire_many(8).await.expect("the test keeps it open").forget();
        for one in eight {
            one.abort();
            assert!(one.await.expect_err("it was aborted").is_cancelled());
        }
        let ninth = ask(&router);
        tokio::task::yield_now().await;
        assert_eq!(begun.available_permits(), 0, "the ninth page is made beside eight others");
        open.add_permits(9);
        assert_eq!(ninth.await.expect("it does not panic").status(), StatusCode::OK);
    }
}
