//! The report in a browser: it stays alone, sorts, filters, shows where figures come from, prints, and fits a phone.
//!
//! Needs Chromium and its driver (Debian: `chromium`, `chromium-driver`).
#![cfg(unix)]
use pqsoc_lab::report;
use pqsoc_lab::results::Results;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A browser behind the WebDriver protocol: JSON over HTTP.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// A window of this size in pixels.
    fn new(width: u32, height: u32) -> Self {
        // A port that was free a moment ago.
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("chromedriver, of the package chromium-driver");
        let mut browser = Self { driver, port, session: String::new() };
        let ready = (0..600).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        assert!(ready, "chromedriver does not answer");
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            // Or a click misses what is still scrolling.
            "--force-prefers-reduced-motion",
            &format!("--window-size={width},{height}"),
        ];
        let options = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments, "perfLoggingPrefs": {"enableNetwork": true}},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let answer = browser.call("POST", "/session", &options);
        browser.session = format!("/session/{}", answer["sessionId"].as_str().unwrap());
        browser
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(600))).unwrap();
        let body = if method == "POST" { body.to_string() } else { String::new() };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n\
             {body}",
            self.port,
            body.len()
        )
        .unwrap();
        // The connection stays open after the answer, so its length counts.
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap() > 2 {
            let field = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            length = field.map_or(length, |(_, value)| value.trim().parse().unwrap());
            line.clear();
        }
        let mut json = vec![0; length];
        reader.read_exact(&mut json).unwrap();
        let value: Value = serde_json::from_slice(&json).unwrap();
        assert!(value["value"]["error"].is_null(), "{method} {path}: {}", value["value"]);
        value["value"].clone()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", &format!("{}{path}", self.session), body)
    }

    /// What a script returns.
    fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    fn element(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        found.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_string()
    }

    fn click(&self, selector: &str) {
        self.post(&format!("/element/{}/click", self.element(selector)), &json!({}));
    }

    fn type_into(&self, selector: &str, text: &str) {
        self.post(&format!("/element/{}/value", self.element(selector)), &json!({"text": text}));
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        self.post("/se/log", &json!({"type": kind})).as_array().unwrap().clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser is in the driver's group, and ends with it also when a test failed.
        let group = format!("-{}", self.driver.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.driver.wait();
    }
}

/// The report on the invented results, in a browser.
fn report() -> (Browser, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let results = Results::from_json(include_str!("data/sample.json")).unwrap();
    std::fs::write(&file, report::html(&results)).unwrap();
    let browser = Browser::new(1200, 900);
    browser.post("/url", &json!({"url": format!("file://{}", file.display())}));
    (browser, folder)
}

/// One browser for everything: starting it takes longest.
#[test]
fn the_page_works() {
    let (browser, _folder) = report();
    first_screen(&browser);
    sorting(&browser);
    filtering(&browser);
    provenance(&browser);
    structure(&browser);
    contrasts(&browser);
    printing(&browser);
    alone(&browser);
    phone(&browser);
}

fn first_screen(browser: &Browser) {
    // The outcome is on the first screen: every verdict of the study's table starts in it or just below.
    let verdicts = browser.run(
        "return [...document.querySelectorAll('.verdict')].map(v => [v.textContent, v.getBoundingClientRect().top])",
    );
    let verdicts = verdicts.as_array().unwrap();
    assert_eq!(verdicts.len(), 7);
    assert!(verdicts[0][1].as_f64().unwrap() < 900.0);
    let lead = browser.run("return document.querySelector('.lead').getBoundingClientRect().bottom");
    assert!(lead.as_f64().unwrap() < 400.0);
}

/// Both ways, with nothing last.
fn sorting(browser: &Browser) {
    let column = |n: u32| {
        browser.run(&format!(
            "return [...document.querySelectorAll('#overview tbody tr')].map(r => r.cells[{n}].dataset.value ?? null)"
        ))
    };
    let numbers = |values: &Value| -> Vec<Option<f64>> {
        let values = values.as_array().unwrap().iter();
        values.map(|v| v.as_str().map(|text| text.parse().unwrap())).collect()
    };
    browser.click("#overview thead th:nth-child(5) button");
    let up = numbers(&column(4));
    let known: Vec<f64> = up.iter().flatten().copied().collect();
    assert!(known.len() > 20 && known.is_sorted() && up[known.len()..].iter().all(Option::is_none));
    browser.click("#overview thead th:nth-child(5) button");
    let down: Vec<f64> = numbers(&column(4)).into_iter().flatten().collect();
    assert!(down.is_sorted_by(|a, b| a >= b));
    let state = browser.run("return document.querySelector('#overview thead th:nth-child(5)').ariaSort");
    assert_eq!(state, "descending");
    browser.click("#overview thead th:nth-child(1) button");
    let first = browser.run("return document.querySelector('#overview tbody th').textContent");
    assert_eq!(first, "Dilithium (level not stated)");
}

fn filtering(browser: &Browser) {
    browser.type_into("#overview input", "ml-dsa-44 SMALL");
    let shown = browser.run(
        "return [...document.querySelectorAll('#overview tbody tr')].filter(r => !r.hidden).map(r => r.textContent)",
    );
    let shown = shown.as_array().unwrap();
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().all(|row| row.as_str().unwrap().contains("pqsoc small")));
    let count = browser.run("return document.querySelector('#overview .count').textContent");
    assert!(count.as_str().unwrap().starts_with("2 of "));
}

/// Where a figure comes from is one click away, and the way back too.
fn provenance(browser: &Browser) {
    browser.click("#overview tbody tr:not([hidden]) td:nth-child(5) a");
    let text = browser
        .run("return document.getElementById('figure').open && document.getElementById('figure').innerText");
    let text = text.as_str().expect("the dialogue is open");
    for part in
        ["ML-DSA-44 sign: time", "wait states", "99 %", "Invented figures", "abababab", "-O9", "runs\n60"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    browser.click("#figure .close");
    assert_eq!(browser.run("return document.getElementById('figure').open"), false);
    // By keyboard as well.
    browser.run("document.querySelector('#overview tbody tr:not([hidden]) a').focus()");
    let keys = json!({"actions": [{"type": "key", "id": "k", "actions": [
        {"type": "keyDown", "value": "\u{e007}"}, {"type": "keyUp", "value": "\u{e007}"}]}]});
    browser.post("/actions", &keys);
    assert_eq!(browser.run("return document.getElementById('figure').open"), true);
    browser.run("document.getElementById('figure').close()");
}

/// Every plot is there, every link leads somewhere, every name is there once.
fn structure(browser: &Browser) {
    assert_eq!(browser.run("return document.querySelectorAll('figure .plot.wide svg').length"), 13);
    let dead = browser.run(
        "return [...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href').slice(1))\
         .filter(id => !document.getElementById(id))",
    );
    assert_eq!(dead, json!([]));
    let ids = browser.run(
        "const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return ids.length - new Set(ids).size",
    );
    assert_eq!(ids, 0);
}

/// It prints, with all rows.
fn printing(browser: &Browser) {
    let command = json!({"cmd": "Page.printToPDF", "params": {"printBackground": true}});
    let print = browser.post("/goog/cdp/execute", &command);
    assert!(print["data"].as_str().unwrap().len() > 100_000);
}

/// Nothing was said on the console, and nothing asked of any network.
fn alone(browser: &Browser) {
    assert_eq!(browser.log("browser"), Vec::<Value>::new());
    for entry in browser.log("performance") {
        let message: Value = serde_json::from_str(entry["message"].as_str().unwrap()).unwrap();
        if message["message"]["method"] == "Network.requestWillBeSent" {
            let url = message["message"]["params"]["request"]["url"].as_str().unwrap();
            assert!(
                url.starts_with("file:///") && url.ends_with("/report.html") || url.starts_with("data:"),
                "{url}"
            );
        }
    }
}

fn phone(browser: &Browser) {
    let metrics = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params":
        {"width": 375, "height": 800, "deviceScaleFactor": 2, "mobile": true}});
    browser.post("/goog/cdp/execute", &metrics);
    // Wide things scroll in themselves, the page does not.
    assert_eq!(browser.run("return document.documentElement.scrollWidth"), 375);
    let shown =
        browser.run("return [...document.querySelectorAll('.plot.narrow')].every(p => p.offsetWidth > 300)");
    assert_eq!(shown, true);
    assert_eq!(browser.run("return document.querySelector('.plot.wide').offsetWidth"), 0);
    // Words of plots are large enough to read.
    let smallest = browser.run(
        "return Math.min(...[...document.querySelectorAll('.plot.narrow text')].map(t => t.getBoundingClientRect().height))",
    );
    assert!(smallest.as_f64().unwrap() >= 11.0, "{smallest}");
}

/// WCAG 2: text has a contrast of 4.5 to what is behind it, shapes of 3, on light and dark pages and on paper.
fn contrasts(browser: &Browser) {
    let luminance = |color: &str| {
        let parts = color.trim_start_matches("rgb(").trim_end_matches(')').split(',');
        let linear = parts.map(|part| {
            let value = part.trim().parse::<f64>().unwrap() / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        let linear: Vec<f64> = linear.collect();
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    let contrast = |a: &str, b: &str| {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    };
    let color = |name: &str| {
        let script = format!(
            "const e = document.createElement('i'); e.style.color = 'var(--{name})'; document.body.append(e); \
             const c = getComputedStyle(e).color; e.remove(); return c"
        );
        browser.run(&script).as_str().unwrap().to_string()
    };
    for (media, scheme) in [("screen", "light"), ("screen", "dark"), ("print", "light")] {
        let params = json!({"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]});
        browser.post("/goog/cdp/execute", &json!({"cmd": "Emulation.setEmulatedMedia", "params": params}));
        for name in ["ink", "muted", "link"] {
            for back in ["paper", "panel"] {
                let found = contrast(&color(name), &color(back));
                assert!(found >= 4.5, "{name} on {back}, {media} {scheme}: {found:.2}");
            }
        }
        for name in ["yes", "no", "open"] {
            let found = contrast(&color(name), &color(&format!("{name}-back")));
            assert!(found >= 4.5, "{name}, {media} {scheme}: {found:.2}");
        }
        // Words in bars are written in the page's colour.
        for n in 0..8 {
            let found = contrast(&color(&format!("s{n}")), &color("paper"));
            assert!(found >= 4.5, "s{n}, {media} {scheme}: {found:.2}");
        }
    }
    browser.post("/goog/cdp/execute", &json!({"cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}}));
}
