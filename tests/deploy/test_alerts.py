"""Each alert fires for what it names, and only then: tried with Prometheus's own rules' tests."""

import json
import re

import pytest
import yaml

HOURS = 60  # minutes, one sample each
WORKS = {"changewire_checks_total": "0+10x{n}"}

# By alert: series under which it fires, what these are when all is well, after how many minutes,
# and the labels that it has of them.
CASES = {
    "ChangewireDown": ({'up{job="changewire"}': "0x{n}"}, {'up{job="changewire"}': "1x{n}"}, 5),
    "ChangewireWorkerDown": (
        {'up{job="changewire-worker"}': "0x{n}"},
        {'up{job="changewire-worker"}': "1x{n}"},
        10,
    ),
    "ChangewireQueueStandsStill": (
        {"changewire_sources_due": "5x{n}", "changewire_checks_total": "7x{n}"},
        {"changewire_sources_due": "5x{n}", **WORKS},
        45,
    ),
    "ChangewireSourcesStale": (
        {
            'changewire_sources{health="problematic"}': "20x{n}",
            'changewire_sources{health="healthy"}': "80x{n}",
        },
        {
            'changewire_sources{health="problematic"}': "5x{n}",
            'changewire_sources{health="healthy"}': "95x{n}",
        },
        8 * HOURS,
    ),
    "ChangewireDiskFull": (
        {'changewire_disk_free_ratio{instance="a",folder="database"}': "0.05x{n}"},
        {'changewire_disk_free_ratio{instance="a",folder="database"}': "0.5x{n}"},
        30,
    ),
    "ChangewireMailFails": (
        {'changewire_mails_total{outcome="failed"}': "0+1x{n}"},
        {
            'changewire_mails_total{outcome="failed"}': "0+1x{n}",
            'changewire_mails_total{outcome="sent"}': "0+1x{n}",
        },
        2 * HOURS,
    ),
    "ChangewireBackupOld": (
        {"changewire_backup_age_seconds": "200000x{n}"},
        {"changewire_backup_age_seconds": "80000x{n}"},
        2 * HOURS,
    ),
    "ChangewireFailing": (
        {
            'changewire_requests_total{status="500"}': "0+5x{n}",
            'changewire_requests_total{status="200"}': "0+95x{n}",
        },
        {
            'changewire_requests_total{status="500"}': "0+0x{n}",
            'changewire_requests_total{status="200"}': "0+95x{n}",
        },
        30,
    ),
    "ChangewireSlow": (
        {
            'changewire_request_duration_seconds_bucket{le="0.5"}': "0x{n}",
            'changewire_request_duration_seconds_bucket{le="1"}': "0+9x{n}",
            'changewire_request_duration_seconds_bucket{le="+Inf"}': "0+9x{n}",
        },
        {
            'changewire_request_duration_seconds_bucket{le="0.5"}': "0+9x{n}",
            'changewire_request_duration_seconds_bucket{le="1"}': "0+9x{n}",
            'changewire_request_duration_seconds_bucket{le="+Inf"}': "0+9x{n}",
        },
        60,
    ),
    "ChangewireReadsNothing": (
        {"changewire_last_read_age_seconds": "8000x{n}"},
        {"changewire_last_read_age_seconds": "60x{n}"},
        20,
    ),
    "ChangewireBehind": (
        {
            "changewire_sources_due_age_seconds": "4000x{n}",
            "changewire_sources_due": "300x{n}",
            **WORKS,
        },
        {
            "changewire_sources_due_age_seconds": "60x{n}",
            "changewire_sources_due": "300x{n}",
            **WORKS,
        },
        60,
    ),
    "ChangewireManySourcesFail": (
        {
            "changewire_sources_failing": "30x{n}",
            'changewire_sources{health="degraded"}': "30x{n}",
            'changewire_sources{health="healthy"}': "70x{n}",
        },
        {
            "changewire_sources_failing": "5x{n}",
            'changewire_sources{health="degraded"}': "5x{n}",
            'changewire_sources{health="healthy"}': "95x{n}",
        },
        2 * HOURS,
    ),
    "ChangewireGaps": (
        {"changewire_gaps_open": "80x{n}"},
        {"changewire_gaps_open": "3x{n}"},
        8 * HOURS,
    ),
    "ChangewireRequestsWait": (
        {"changewire_source_requests_open": "40x{n}"},
        {"changewire_source_requests_open": "3x{n}"},
        8 * 24 * HOURS,
    ),
    "ChangewireWebhooksWait": (
        {"changewire_deliveries_due_age_seconds": "2000x{n}"},
        {"changewire_deliveries_due_age_seconds": "5x{n}"},
        30,
    ),
    "ChangewireWebhooksFail": (
        {
            'changewire_delivery_attempts_total{outcome="retried"}': "0+9x{n}",
            'changewire_delivery_attempts_total{outcome="delivered"}': "0+1x{n}",
        },
        {
            'changewire_delivery_attempts_total{outcome="retried"}': "0+1x{n}",
            'changewire_delivery_attempts_total{outcome="delivered"}': "0+9x{n}",
        },
        3 * HOURS,
    ),
}
LABELS = {
    "ChangewireDown": {"job": "changewire"},
    "ChangewireWorkerDown": {"job": "changewire-worker"},
    "ChangewireDiskFull": {"instance": "a", "folder": "database"},
}


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
                {"series": each, "values": values.replace("{n}", str(minutes))}
                for each, values in series.items()
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
def test_it_fires_for_what_it_names(name, fires):
    series, _, minutes = CASES[name]

    status, told = fires(name, series, minutes, fires=True)

    assert status == 0, told


@pytest.mark.parametrize("name", CASES)
def test_it_is_silent_when_all_is_well(name, fires):
    _, series, minutes = CASES[name]

    status, told = fires(name, series, minutes, fires=False)

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
