//! Where a model is: from `openai:…`, `ollama:…` or a URL to an address, a name and a key.

use std::net::IpAddr;

use reqwest::Url;

use super::super::{Environment, ModelError, SPEC_FORMS};
use super::secret::ApiKey;

/// Where a model is and how one gets in.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    /// The address that `/chat/completions` is added to.
    pub(super) base: String,
    host: String,
    /// The model's name there, if the user gave one.
    pub(super) model: Option<String>,
    pub(super) key: Option<ApiKey>,
    /// Whether a model that the server doesn't list isn't there. Some servers take any name.
    pub(super) lists_all: bool,
}

impl Endpoint {
    /// The address of one of the server's functions.
    pub(super) fn url(&self, function: &str) -> String {
        format!("{}/{function}", self.base)
    }

    /// Whether the server is this machine: then no proxy has any business in between.
    pub(super) fn is_loopback(&self) -> bool {
        let host = self.host.trim_matches(['[', ']']);
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }

    /// Whether a listed name is the wanted one: Ollama lists `name` as `name:latest`.
    #[expect(clippy::unused_self, reason = "names are the endpoint's business")]
    pub(super) fn is(&self, listed: &str, wanted: &str) -> bool {
        listed == wanted || listed.strip_suffix(":latest") == Some(wanted)
    }
}

/// Reads `openai:NAME`, `ollama:NAME`, or a URL with or without `#NAME`.
pub(super) fn resolve(spec: &str, environment: &Environment) -> Result<Endpoint, ModelError> {
    match spec.split_once(':') {
        Some(("openai", name)) => {
            let own = environment.get("OPENAI_BASE_URL");
            let base = own.as_deref().unwrap_or("https://api.openai.com/v1");
            let key = key("OPENAI_API_KEY", environment)?.ok_or_else(|| ModelError::MissingKey {
                service: spec.to_owned(),
                problem: "set OPENAI_API_KEY in the environment".to_owned(),
            })?;
            Ok(Endpoint {
                model: Some(named(spec, name)?),
                key: Some(key),
                lists_all: own.is_none(),
                ..address(spec, base)?
            })
        }
        Some(("ollama", name)) => {
            let host = environment.get("OLLAMA_HOST").unwrap_or_default();
            Ok(Endpoint {
                model: Some(named(spec, name)?),
                lists_all: true,
                ..address(spec, &ollama(&host))?
            })
        }
        _ => {
            let (base, name) = match spec.split_once('#') {
                Some((base, name)) => (base, Some(named(spec, name)?)),
                None => (spec, None),
            };
            Ok(Endpoint {
                model: name,
                key: key("REDRAFT_API_KEY", environment)?,
                ..address(spec, base)?
            })
        }
    }
}

fn named(spec: &str, name: &str) -> Result<String, ModelError> {
    if name.is_empty() {
        return Err(bad(spec, &format!("the name is missing; expected {SPEC_FORMS}")));
    }
    Ok(name.to_owned())
}

fn key(variable: &str, environment: &Environment) -> Result<Option<ApiKey>, ModelError> {
    let Some(key) = environment.get(variable) else {
        return Ok(None);
    };
    match ApiKey::new(key) {
        Some(key) => Ok(Some(key)),
        None => Err(ModelError::MissingKey {
            service: "the model".to_owned(),
            problem: format!("what {variable} holds is none: it has characters that no header can carry"),
        }),
    }
}

/// Where Ollama listens. Its variable is an address to bind, with as much left out as one likes.
fn ollama(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let rest = rest.trim_end_matches('/');
    let authority = rest.split('/').next().unwrap_or("");
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port),
        _ => (authority, "11434"),
    };
    let name = match name {
        "" | "0.0.0.0" => "127.0.0.1",
        "[::]" => "[::1]",
        name => name,
    };
    format!("{scheme}://{name}:{port}/v1")
}

/// The endpoint at an address, still without name and key.
fn address(spec: &str, base: &str) -> Result<Endpoint, ModelError> {
    let url = Url::parse(base).map_err(|error| bad(spec, &format!("`{base}` is no URL: {error}")))?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        // Not shown: it may be a secret.
        return Err(ModelError::BadSpec {
            spec: format!("{}://…", url.scheme()),
            problem: "an address holds no user, password or query; a key goes into REDRAFT_API_KEY"
                .to_owned(),
        });
    }
    match url.scheme() {
        "http" => {}
        "https" if cfg!(feature = "tls") => {}
        "https" => {
            return Err(bad(
                spec,
                "this redraft was built without the `tls` feature and speaks only http://",
            ));
        }
        scheme => {
            return Err(bad(
                spec,
                &format!("expected http:// or https://, not {scheme}://"),
            ));
        }
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    let base = url.as_str().trim_end_matches('/');
    let base = base.strip_suffix("/chat/completions").unwrap_or(base);
    Ok(Endpoint {
        // Where such servers listen unless told otherwise.
        base: if url.path() == "/" {
            format!("{base}/v1")
        } else {
            base.to_owned()
        },
        host,
        model: None,
        key: None,
        lists_all: false,
    })
}

fn bad(spec: &str, problem: &str) -> ModelError {
    ModelError::BadSpec {
        spec: spec.to_owned(),
        problem: problem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(spec: &str, variables: &[(&str, &str)]) -> Result<Endpoint, String> {
        let environment = Environment::of(variables.iter().copied());
        resolve(spec, &environment).map_err(|error| {
            assert!(error.is_input());
            error.to_string()
        })
    }

    fn base(spec: &str, variables: &[(&str, &str)]) -> String {
        at(spec, variables).unwrap().base
    }

    #[test]
    fn a_url_is_an_address_and_a_name() {
        let endpoint = at("http://127.0.0.1:8080/v1#org/name:q4#x", &[]).unwrap();
        assert_eq!(endpoint.url("models"), "http://127.0.0.1:8080/v1/models");
        assert_eq!(endpoint.model.as_deref(), Some("org/name:q4#x"));
        assert!(endpoint.key.is_none());
        assert_eq!(base("http://h/#m", &[]), "http://h/v1");
        assert_eq!(base("http://h/api/v3/", &[]), "http://h/api/v3");
        assert_eq!(base("http://h/v1/chat/completions#m", &[]), "http://h/v1");
        assert!(
            at("http://h/v1", &[("REDRAFT_API_KEY", "k")])
                .unwrap()
                .key
                .is_some()
        );
        assert!(
            at("http://h/v1", &[("OPENAI_API_KEY", "k")])
                .unwrap()
                .key
                .is_none()
        );
    }

    #[test]
    fn what_is_wrong_with_an_address_is_said() {
        assert!(
            at("http://#m", &[])
                .unwrap_err()
                .contains("is no URL: empty host")
        );
        assert!(
            at("http://h/v1#", &[])
                .unwrap_err()
                .contains("the name is missing")
        );
        for secret in ["http://me:pw@h/v1#m", "http://pw@h/v1#m", "http://h/v1?key=pw#m"] {
            let error = at(secret, &[]).unwrap_err();
            assert!(
                error.contains("no user, password or query") && !error.contains("pw"),
                "{error}"
            );
        }
        let error = at(
            "openai:m",
            &[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "ftp://h")],
        )
        .unwrap_err();
        assert!(error.contains("not ftp://"), "{error}");
    }

    #[cfg(feature = "tls")]
    #[test]
    fn openai_needs_a_key() {
        assert_eq!(
            at("openai:m", &[]).unwrap_err(),
            "openai:m needs a key: set OPENAI_API_KEY in the environment"
        );
        assert!(at("openai:m", &[("OPENAI_API_KEY", " ")]).is_err());
        assert!(at("openai:", &[("OPENAI_API_KEY", "k")]).is_err());
        let error = at("openai:m", &[("OPENAI_API_KEY", "pw\nx")]).unwrap_err();
        assert!(
            error.contains("OPENAI_API_KEY") && !error.contains("pw"),
            "{error}"
        );
        let endpoint = at("openai:m", &[("OPENAI_API_KEY", "k")]).unwrap();
        assert_eq!(endpoint.base, "https://api.openai.com/v1");
        assert!(endpoint.lists_all && !endpoint.is_loopback());
        let own = at(
            "openai:m",
            &[
                ("OPENAI_API_KEY", "k"),
                ("OPENAI_BASE_URL", "http://localhost:1/x/"),
            ],
        )
        .unwrap();
        assert_eq!(own.base, "http://localhost:1/x");
        assert!(!own.lists_all && own.is_loopback());
    }

    #[cfg(not(feature = "tls"))]
    #[test]
    fn https_needs_the_tls_feature() {
        assert!(
            at("https://h/v1#m", &[])
                .unwrap_err()
                .contains("built without the `tls` feature")
        );
    }

    #[test]
    fn ollama_listens_where_its_variable_says() {
        for (variable, url) in [
            ("", "http://127.0.0.1:11434/v1"),
            ("0.0.0.0", "http://127.0.0.1:11434/v1"),
            ("0.0.0.0:99", "http://127.0.0.1:99/v1"),
            (":99", "http://127.0.0.1:99/v1"),
            ("box", "http://box:11434/v1"),
            ("http://box:5/", "http://box:5/v1"),
            ("[::1]", "http://[::1]:11434/v1"),
            ("[::]:7", "http://[::1]:7/v1"),
        ] {
            assert_eq!(base("ollama:m", &[("OLLAMA_HOST", variable)]), url, "{variable}");
        }
        let endpoint = at("ollama:qwen", &[]).unwrap();
        assert!(endpoint.is("qwen:latest", "qwen") && endpoint.is("qwen:1b", "qwen:1b"));
        assert!(!endpoint.is("qwen:1b", "qwen"));
    }

    #[test]
    fn this_machine_is_recognised() {
        for (host, here) in [
            ("127.0.0.1", true),
            ("127.9.9.9:1", true),
            ("[::1]:1", true),
            ("10.0.0.1", false),
        ] {
            assert_eq!(
                at(&format!("http://{host}#m"), &[]).unwrap().is_loopback(),
                here,
                "{host}"
            );
        }
    }
}
