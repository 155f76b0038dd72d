"""Each alert fires for what it names, and only then: tried with Prometheus's own rules' tests."""

import json
import re

import pytest
import yaml

HOURS = 60  # minutes, one sample each
# By alert: series under which it fires, others when all is well, and after how many minutes.
CASES = {
    "ChangewireDown": ('up{job="changewire"} 0', 'up{job="changewire"} 1', 5),
    "ChangewireWorkerDown": ('up{job="changewire-worker"} 0', 'up{job="changewire-worker"} 1', 10),
    "ChangewireQueueStandsStill": (
        "sources_due 5; checks_total 7",
        "sources_due 5; checks_total 0+10",
        45,
    ),
    "ChangewireSourcesStale": (
        'sources{health="problematic"} 20; sources{health="healthy"} 80',
        'sources{health="problematic"} 5; sources{health="healthy"} 95',
        8 * HOURS,
    ),
    "ChangewireDiskFull": (
        'disk_free_ratio{instance="a",folder="database"} 0.05',
        'disk_free_ratio{instance="a",folder="database"} 0.5',
        30,
    ),
    "ChangewireMailFails": (
        'mails_total{outcome="failed"} 0+1',
        'mails_total{outcome="failed"} 0+1; mails_total{outcome="sent"} 0+1',
        2 * HOURS,
    ),
    "ChangewireBackupOld": ("backup_age_seconds 200000", "backup_age_seconds 80000", 2 * HOURS),
    "ChangewireFailing": (
        'requests_total{status="500"} 0+5; requests_total{status="200"} 0+95',
        'requests_total{status="500"} 0+0; requests_total{status="200"} 0+95',
        30,
    ),
    "ChangewireSlow": (
        'request_duration_seconds_bucket{le="0.5"} 0; '
        'request_duration_seconds_bucket{le="1"} 0+9; '
        'request_duration_seconds_bucket{le="+Inf"} 0+9',
        'request_duration_seconds_bucket{le="0.5"} 0+9; '
        'request_duration_seconds_bucket{le="1"} 0+9; '
        'request_duration_seconds_bucket{le="+Inf"} 0+9',
        60,
    ),
    "ChangewireReadsNothing": ("last_read_age_seconds 8000", "last_read_age_seconds 60", 20),
    "ChangewireBehind": (
        "sources_due_age_seconds 4000; sources_due 300; checks_total 0+10",
        "sources_due_age_seconds 60; sources_due 300; checks_total 0+10",
        60,
    ),
    "ChangewireManySourcesFail": (
        'sources_failing 30; sources{health="degraded"} 30; sources{health="healthy"} 70',
        'sources_failing 5; sources{health="degraded"} 5; sources{health="healthy"} 95',
        2 * HOURS,
    ),
    "ChangewireGaps": ("gaps_open 80", "gaps_open 3", 8 * HOURS),
    "ChangewireRequestsWait": ("source_requests_open 40", "source_requests_open 3", 8 * 24 * HOURS),
    "ChangewireWebhooksWait": (
        "deliveries_due_age_seconds 2000",
        "deliveries_due_age_seconds 5",
        30,
    ),
    "ChangewireWebhooksFail": (
        'delivery_attempts_total{outcome="retried"} 0+9; '
        'delivery_attempts_total{outcome="delivered"} 0+1',
        'delivery_attempts_total{outcome="retried"} 0+1; '
        'delivery_attempts_total{outcome="delivered"} 0+9',
        3 * HOURS,
    ),
}
LABELS = {
    "ChangewireDown": {"job": "changewire"},
    "ChangewireWorkerDown": {"job": "changewire-worker"},
    "ChangewireDiskFull": {"instance": "a", "folder": "database"},
}


def full_name(series):
    return series if series.startswith("up{") else f"changewire_{series}"


@pytest.fixture(scope="module")
def rules(root):
    """The rules by the names of their alerts."""
    text = (root / "deploy" / "prometheus" / "alerts.yml").read_text()
    return {
        rule["alert"]: rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]
    }


@pytest.fixture
def fires(root, rules, program, run, tmp_path):
    """Try which alerts fire at the end of some series; the rules' other alerts are not asked."""
    promtool = program("promtool", "prometheus")

    def fires(name, series, minutes, *, fires):
        rule = rules[name]
        alert = {
            "exp_labels": {**rule["labels"], **LABELS.get(name, {})},
            "exp_annotations": rule["annotations"],
        }
        case = {
            "interval": "1m",
            "input_series": [
                {"series": full_name(name), "values": f"{value}x{minutes}"}
                for name, _, value in (each.rpartition(" ") for each in series.split("; "))
            ],
            "alert_rule_test": [
                {
                    "eval_time": f"{minutes}m",
                    "alertname": name,
                    "exp_alerts": [alert] if fires else [],
                }
            ],
        }
        alerts = root / "deploy" / "prometheus" / "alerts.yml"
        file = tmp_path / "test.yml"
        file.write_text(json.dumps({"rule_files": [str(alerts)], "tests": [case]}))
        return run(promtool, "test", "rules", file)

    return fires


def test_every_alert_is_tried(rules):
    assert set(rules) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_it_fires_for_what_it_names_and_is_silent_when_all_is_well(name, fires):
    wrong, well, minutes = CASES[name]

    for series, expected in ((wrong, True), (well, False)):
        status, told = fires(name, series, minutes, fires=expected)
        assert status == 0, told


def test_every_alert_has_a_paragraph_in_the_manual(rules, root):
    manual = (root / "docs" / "operating.md").read_text()
    told = set(re.findall(r"^\*\*(Changewire\w+)\*\*", manual, re.MULTILINE))

    assert told == set(rules)


def test_the_jobs_that_alerts_name_are_scraped(rules, root):
    scraped = yaml.safe_load((root / "deploy" / "prometheus" / "prometheus.yml").read_text())
    jobs = {each["job_name"] for each in scraped["scrape_configs"]}
    named = {name for rule in rules.values() for name in re.findall(r'job="([^"]+)"', rule["expr"])}

    assert named == jobs
