"""The brake: what a limit leaves the helpers, the exact command of a step, what came of it, and the way back."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest

from remote.gpfs.models import FsMounts, MountedNode, Mounts, Qos, QosLimit, QosStat
from remote.jobs import JobState
from supervision.brake import Hours, Judged, Power, Terms, brake_lines
from supervision.facts import Fact
from supervision.gpfs_braked import JUDGED_BY
from supervision.state import Job, State
from tests.supervision import gpfs_states as made

FS = made.FS
CLIENTS = tuple(f"c{number}" for number in range(1, 22))
"""With the three servers, 24 nodes mount the file system."""
SCAN = made.job(command=f"mmrestripefs {FS} -r -N n1,n2,n3")


def rows(text: str) -> tuple[QosLimit, ...]:
    """Limits of pool system: `other=inf maintenance/all_local=1000Iops`."""
    pairs = (word.partition("=") for word in text.split())
    return tuple(QosLimit("system", name, value) for name, _, value in pairs)


def stats(time: int = int(made.NOW), **iops: float) -> tuple[QosStat, ...]:
    """Rates of pool system."""
    return tuple(QosStat("system", name, time, value, 1.0, 0.0, 5.0) for name, value in iops.items())


def qos(limits: str = "other=inf maintenance=inf", *told: QosStat, enabled: bool = True) -> Qos:
    return Qos(enabled, enabled, enabled, rows(limits), told)


def mounts(*names: str) -> Mounts:
    return Mounts((FsMounts(FS, len(names), tuple(MountedNode("", name) for name in names)),))


EVERYWHERE = mounts(*made.HOSTS, *CLIENTS)


def state(model: Qos | Fact, *jobs: Job, scan: Job = SCAN, mounted: Mounts | None = EVERYWHERE) -> State:
    """The file system on 24 nodes, with what QoS tells."""
    told = {"cluster": made.cluster(*CLIENTS), f"mounts {FS}": mounted, f"qos {FS}": model}
    return made.state(told, jobs=(scan, *jobs), logs=(made.scanning(),))


def line(model: State) -> str:
    return brake_lines(made.file_system().brake(model))[0].value


def test_a_limit_is_shown_with_what_it_leaves_the_helpers() -> None:
    model = state(qos("other=inf maintenance=1000Iops", *stats(maintenance=980.0, other=9754.0)))
    assert line(model) == "1,000 IOPS on system = 42 per node, 125 for 3 helpers"
    assert brake_lines(made.file_system().brake(model))[1].value == "system: maintenance 980, other 9,754 IOPS"
    (limit,) = made.file_system().brake(model).limits
    assert (limit.nodes, limit.helpers, limit.effective) == (24, 3, 125.0)


def test_a_limit_for_all_local_is_divided_over_the_nodes_of_the_cluster_alone() -> None:
    away = mounts(*made.HOSTS, *CLIENTS, "far1", "far2", "far3", "far4", "far5", "far6")
    local = state(qos("other=inf maintenance/all_local=1200Iops"), mounted=away)
    everywhere = state(qos("other=inf maintenance=1200Iops"), mounted=away)
    assert [made.file_system().brake(each).limits[0].nodes for each in (local, everywhere)] == [24, 30]


def test_steps_are_parts_of_what_runs_now_and_none_is_below_the_floor() -> None:
    brake = made.file_system().brake(state(qos("other=inf maintenance=inf", *stats(maintenance=2600.0))))
    assert [(step.iops, bool(step.refused)) for step in brake.steps] == [(1300, False), (650, False), (260, False)]
    assert brake.steps[0].text == "half of the 2,600 IOPS of now"
    slow = made.file_system().brake(state(qos("other=inf maintenance=inf", *stats(maintenance=400.0))))
    assert [(step.iops, bool(step.refused)) for step in slow.steps] == [(200, False), (100, False), (40, True)]


def test_while_qos_is_off_the_first_step_is_to_measure() -> None:
    brake = made.file_system().brake(state(qos("", enabled=False)))
    assert brake.power is Power.OFF
    assert [step.iops for step in brake.steps] == [math.inf, 10_000, 3_000, 1_000, 300]


def test_a_step_is_the_limit_that_leaves_the_helpers_that_much_and_keeps_the_other_classes() -> None:
    model = state(qos("other=5000Iops maintenance=inf", *stats(maintenance=2600.0, misc=12.0)))
    plan = made.file_system().ease(model, 650.0)
    assert plan.text == f"mmchqos {FS} --enable pool=system,other=5000IOPS,maintenance=5200IOPS"  # 650 * 24 / 3
    assert plan.says[0] == "maintenance  5,200 IOPS on system = 217 per node, 650 for 3 helpers (now: no limit)"
    assert "lost: this release has no limits for some nodes alone" in plan.says[1]
    (title,) = plan.titles
    assert title == (
        "brake ease to 650 IOPS for 3 helpers; set pool=system,maintenance=5200Iops; "
        "earlier on pool=system,other=5000Iops,maintenance=inf; before system/maintenance=2600,system/misc=12"
    )


def test_where_the_release_knows_scopes_the_limit_is_for_the_helpers_alone() -> None:
    plan = made.file_system().ease(state(qos("other=inf maintenance/all_local=inf")), 650.0)
    assert plan.text == f"mmchqos {FS} --enable -N n1,n2,n3 pool=system,maintenance=650IOPS"
    assert plan.says[0].startswith("maintenance  650 IOPS on system for the 3 helpers alone = 217 per node")
    all_help = made.job(command=f"mmrestripefs {FS} -r -N all")
    plan = made.file_system().ease(state(qos("other=inf maintenance/all_local=inf"), scan=all_help), 650.0)
    assert plan.text == f"mmchqos {FS} --enable pool=system,other=unlimited,maintenance=650IOPS"


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (state(qos(), mounted=None), "not known how many nodes mount it"),
        (state(qos(), scan=made.job(command=f"mmrestripefs {FS} -r -N class7")), "not known which nodes scan"),
        (state(qos(), scan=made.job(command=f"mmrestripefs {FS} -r -N n1 --qos other")), "class other as the users"),
        (state(qos(), scan=made.job(JobState.FINISHED, rc=0)), "no scan runs"),
        (state(made.fact(f"qos {FS}", None, failure="exit code 1: oh")), "unknown: exit code 1: oh"),
    ],
)
def test_what_is_not_known_is_no_reason_to_guess(model: State, why: str) -> None:
    assert why in made.file_system().ease(model, 650.0).refused


def test_a_step_below_the_floor_is_refused() -> None:
    plan = made.file_system().ease(state(qos()), 99.0)
    assert plan.refused == "99 IOPS for all helpers together is below the floor of 100 IOPS"
    assert plan.commands == ()


def test_the_floor_is_what_a_person_has_set() -> None:
    fs = made.file_system()
    assert fs.ease(state(qos()), 99.0, Terms(50.0)).refused == ""
    assert fs.ease(state(qos()), 650.0, Terms(1000.0)).refused.endswith("below the floor of 1,000 IOPS")
    told = qos("other=inf maintenance=inf", *stats(maintenance=2600.0))
    assert [bool(step.refused) for step in fs.brake(state(told), Terms(300.0)).steps] == [False, False, True]


def test_where_a_site_uses_mmqos_limits_are_set_and_lifted_by_it() -> None:
    fs, terms = made.file_system(), Terms(tool="mmqos")
    plan = fs.ease(state(qos("", enabled=False)), math.inf, terms)
    assert [each.text for each in plan.commands] == [f"mmqos filesystem enable {FS}"]
    model = state(qos("other=inf maintenance/all_local=inf", *stats(maintenance=2600.0)))
    plan = fs.ease(model, 650.0, terms)  # -N of mmqos takes one node or class, and there are three
    throttle = f"mmqos throttle update {FS} --pool system --class maintenance"
    assert plan.text == f"{throttle} -C all_local --maxiops 5200"
    alone = made.job(command=f"mmrestripefs {FS} -r -N n1")
    told = state(qos("other=inf maintenance/all_local=inf"), scan=alone)
    assert fs.ease(told, 650.0, terms).text == f"{throttle} -N n1 --maxiops 650"

    done = change(title=plan.titles[0].replace("earlier on", "earlier off"))
    done = msgspec.structs.replace(done, status=msgspec.structs.replace(done.status, command=plan.text))
    back = fs.release(state(qos("other=inf maintenance/all_local=5200Iops"), done))
    assert [each.text for each in back.commands] == [
        f"{throttle} -C all_local --maxiops unlimited",
        f"mmqos filesystem disable {FS}",
    ]
    assert fs.schedule(model, 650.0, Hours(), "s", terms).refused == "a schedule is kept by mmchqos alone"


def test_of_several_limits_the_one_that_names_the_helpers_is_shown() -> None:
    told = qos("other=inf maintenance/all_local=960Iops maintenance/n1+n2+n3=650Iops")
    (limit,) = made.file_system().brake(state(told)).limits
    assert (limit.iops, limit.scoped, limit.effective) == (650.0, True, 650.0)
    assert line(state(told)) == "650 IOPS on system for the 3 helpers alone = 217 per node"


def test_a_limit_for_other_nodes_is_none_of_the_helpers() -> None:
    told = qos("other=inf maintenance/all_local=9600Iops maintenance/c1+c2=10Iops maintenance/n1+c1=400Iops")
    (limit,) = made.file_system().brake(state(told)).limits
    # of n1 and c1 one helps: 400 / 2 x 1, where all_local leaves the three 9600 / 24 x 3
    assert (limit.iops, limit.nodes, limit.helpers, limit.effective, limit.scoped) == (400.0, 2, 1, 200.0, False)


def test_a_schedule_names_the_scan_by_its_job_or_by_its_process() -> None:
    fs = made.file_system()
    plan = fs.schedule(state(qos()), 650.0, Hours(), "s")
    (command,) = plan.commands
    tight, free, earlier = (f"--enable pool=system,other=unlimited,maintenance={value}" for value in LIMITS)
    assert command.argv == (
        "sh", "/JOBS/s/run/qos_schedule.sh", FS, "/JOBS/j1", "1800", "12345", "0700", "1900", tight, free, earlier, "-"
    )  # fmt: skip
    assert [name for name, _text in plan.files] == ["qos_schedule.sh"]
    adopted = msgspec.structs.replace(SCAN, pid=4711, start=99)
    (command,) = fs.schedule(state(qos(), scan=adopted), 650.0, Hours(), "s").commands
    assert command.argv[3] == "pid:4711:99"


def test_a_schedule_that_outlives_its_scan_is_told_of() -> None:
    fs = made.file_system()
    plan = fs.schedule(state(qos()), 650.0, Hours(), "s")
    job = made.job(command=plan.commands[0].text, job_id="s")
    job = msgspec.structs.replace(job, status=msgspec.structs.replace(job.status, title=plan.titles[0]))

    def told(ended: float) -> list[str]:
        over = msgspec.structs.replace(made.job(JobState.FINISHED, rc=0), settled_at=ended)
        problems = fs.problems(state(qos(SET), job, scan=over))
        return [line.value for line in problems if line.label == "Brake"]

    assert told(made.NOW - 200.0) == []
    assert told(made.NOW - 600.0) == ["a schedule on n1 still keeps limits (job s), and no scan has run for 10 min"]


def test_while_a_schedule_keeps_the_limits_nothing_else_sets_them_and_a_release_ends_it() -> None:
    fs = made.file_system()
    plan = fs.schedule(state(qos()), 650.0, Hours(), "s")
    job = made.job(JobState.RUNNING, plan.commands[0].text, job_id="s")
    job = msgspec.structs.replace(job, status=msgspec.structs.replace(job.status, title=plan.titles[0]))
    kept = state(qos("other=inf maintenance=5200Iops"), job)
    assert fs.ease(kept, 300.0).refused == "a schedule on n1 keeps the limits (job s); release it first"
    assert "a schedule on the host keeps it" in line(kept)
    assert (fs.release(kept).stop, fs.may_stop(job)) == ("s", "")
    assert fs.stop_leaves(job).startswith("It brings back the limits")
    done = msgspec.structs.replace(job, status=msgspec.structs.replace(job.status, state=JobState.FINISHED, rc=0))
    assert fs.brake(state(qos(), done)).held is None
    gave_up = msgspec.structs.replace(done, status=msgspec.structs.replace(done.status, rc=1))
    left = fs.brake(state(qos("other=inf maintenance=5200Iops"), gave_up)).held
    assert left is not None
    assert (left.sure, left.schedule) == (False, False)


@pytest.mark.parametrize(
    ("line_of_log", "iops", "judged"),
    [
        ("1970-01-12 13:44:00 tight (within the hours): mmchqos fs1 x", 640.0, Judged.WITHIN),
        ("1970-01-12 13:44:00 tight (within the hours): mmchqos fs1 x", 2600.0, Judged.NOTHING),
        ("1970-01-12 13:46:00 tight (within the hours): mmchqos fs1 x", 640.0, Judged.WAITING),
        ("1970-01-12 13:44:00 free (outside the hours): mmchqos fs1 x", 2600.0, Judged.NONE),
        ("FAILED", 2600.0, Judged.NONE),
    ],
)
def test_what_a_schedule_sets_is_judged_from_its_own_lines(line_of_log: str, iops: float, judged: Judged) -> None:
    fs = made.file_system()
    plan = fs.schedule(state(qos()), 650.0, Hours(), "s")
    job = made.job(JobState.RUNNING, plan.commands[0].text, job_id="s")
    job = msgspec.structs.replace(job, status=msgspec.structs.replace(job.status, title=plan.titles[0]))
    kept = state(qos("other=inf maintenance=5200Iops", *stats(maintenance=iops)), job)
    told = made.log((made.NOW, line_of_log), job_id="s")
    logs = {**kept.logs, (told.host, told.source): told}
    assert fs.brake(msgspec.structs.replace(kept, logs=logs)).effect.judged is judged


LIMITS = ("5200IOPS", "unlimited", "unlimited")


def test_a_tighter_limit_that_was_there_before_us_stays() -> None:
    plan = made.file_system().ease(state(qos("other=inf maintenance=2000Iops")), 650.0)
    assert plan.text.endswith("maintenance=2000IOPS")
    # 2000 over 24 nodes leave three helpers 250: alone they get no more
    plan = made.file_system().ease(state(qos("other=inf maintenance/all_local=2000Iops")), 650.0)
    assert plan.text == f"mmchqos {FS} --enable -N n1,n2,n3 pool=system,maintenance=250IOPS"


def test_a_release_without_qos_is_told_once_and_is_no_problem() -> None:
    fact = msgspec.structs.replace(made.fact(f"qos {FS}", None, failure="this release has no QoS"), never=True)
    model = state(fact)
    assert made.file_system().brake(model).power is Power.ABSENT
    assert line(model) == "not in this release: this release has no QoS"
    assert not [each for each in made.file_system().problems(model) if "QoS" in each.value]


# what came of it

EASED = made.NOW - 100.0
TITLE = (
    "brake ease to 325 IOPS for 3 helpers; set pool=system,maintenance=2600Iops; "
    "earlier on pool=system,other=inf,maintenance=inf; before system/maintenance=2600,system/misc=10"
)
SET = "other=inf maintenance=2600Iops"


def change(kind: str = "ease", at: float = EASED, title: str = TITLE, rc: int | None = 0, **more: Any) -> Job:
    """A job of ours that changed limits and ended at a time (s)."""
    word = JobState.FINISHED if rc is not None else JobState.LOST
    job = made.job(word, f"mmchqos {FS} --enable x", job_id=f"{kind}-{at:.0f}", began=at - 1, rc=rc)
    told = title.replace("brake ease", f"brake {kind}")
    return msgspec.structs.replace(job, status=msgspec.structs.replace(job.status, title=told, ended=at, **more))


def test_rates_that_fell_are_told_with_both_figures() -> None:
    model = state(qos(SET, *stats(maintenance=330.0, misc=12.0)), change())
    effect = made.file_system().brake(model).effect
    assert (effect.judged, effect.text) == (Judged.FELL, "rates fell from 2,600 to 330")
    assert line(model).endswith("325 for 3 helpers; rates fell from 2,600 to 330")


def test_until_a_whole_look_lies_after_the_change_nothing_is_said_of_it() -> None:
    model = state(qos(SET, *stats(maintenance=2600.0)), change(at=made.NOW - 60.0))
    effect = made.file_system().brake(model).effect
    assert effect.judged is Judged.WAITING
    assert effect.due == made.NOW - 60.0 + JUDGED_BY
    assert effect.text == "its effect is not known yet (judged by 13:48)"


def test_a_brake_without_effect_is_said_and_is_a_problem() -> None:
    model = state(qos(SET, *stats(maintenance=2580.0, misc=10.0)), change())
    effect = made.file_system().brake(model).effect
    assert effect.judged is Judged.NOTHING
    assert effect.text == "the brake has no effect: 2,580 IOPS after 2,600 before, 325 allowed"
    assert [each.value for each in made.file_system().problems(model) if each.label == "Brake"] == [effect.text]


def test_what_only_moved_into_a_class_without_a_limit_has_not_fallen() -> None:
    model = state(qos(SET, *stats(maintenance=300.0, misc=2310.0)), change())
    effect = made.file_system().brake(model).effect
    assert effect.judged is Judged.NOTHING
    assert "maintenance fell from 2,600 to 300 IOPS, but misc, which has no limit, rose by 2,300" in effect.text


def test_what_ran_below_the_limit_before_is_within_it_and_no_failure() -> None:
    title = TITLE.replace("maintenance=2600,", "maintenance=300,")
    model = state(qos(SET, *stats(maintenance=300.0)), change(title=title))
    assert made.file_system().brake(model).effect.judged is Judged.WITHIN


def test_what_runs_in_a_class_without_a_limit_is_not_slowed_by_one() -> None:
    """As where metadata are read and written in `misc`: maintenance was within its limit all the time."""
    title = TITLE.replace("maintenance=2600,system/misc=10", "maintenance=130,system/misc=2470")
    model = state(qos(SET, *stats(maintenance=130.0, misc=2470.0)), change(title=title))
    assert made.file_system().brake(model).effect.text == (
        "the brake has no effect: 130 IOPS after 130 before, 325 allowed; misc, which has no limit, does 2,470"
    )
    unknown = TITLE.replace("before system/maintenance=2600,system/misc=10", "before -")
    model = state(qos(SET, *stats(maintenance=130.0, misc=2470.0)), change(title=unknown))
    assert made.file_system().brake(model).effect.judged is Judged.NOTHING
    model = state(qos(SET, *stats(maintenance=130.0)), change(title=unknown))
    assert made.file_system().brake(model).effect.text == "130 IOPS are done; how many it was before is not known"


def test_figures_of_before_the_change_do_not_count() -> None:
    old, new = stats(int(EASED) + 20, maintenance=2600.0), stats(int(EASED) + 60, maintenance=320.0)
    model = state(qos(SET, *old, *new), change())
    assert made.file_system().brake(model).effect.text == "rates fell from 2,600 to 320"


def test_the_human_form_is_dated_by_its_time_of_day() -> None:
    # 1,000,000 s after 1970 is 13:46:40 UTC; the change was done at 13:45:00
    clocks = (("13:45:20", 2600.0), ("13:46:10", 320.0))
    told = tuple(QosStat("system", "maintenance", None, iops, 1.0, 0.0, 5.0, clock=clock) for clock, iops in clocks)
    model = state(qos(SET, *told), change())
    assert made.file_system().brake(model).effect.text == "rates fell from 2,600 to 320"


# the way back


def test_the_way_back_leads_to_what_was_before_our_first_change() -> None:
    second = TITLE.replace("325", "100").replace("maintenance=2600Iops", "maintenance=800Iops")
    model = state(qos("other=inf maintenance=800Iops"), change(at=made.NOW - 500.0), change(title=second))
    plan = made.file_system().release(model)
    assert plan.text == f"mmchqos {FS} --enable pool=system,other=unlimited,maintenance=unlimited"
    assert [each.split(";")[0] for each in plan.titles] == ["brake release to what was before"]


def test_a_qos_that_was_off_is_switched_off_again_after_its_limits_are_gone() -> None:
    title = TITLE.replace("earlier on pool=system,other=inf,maintenance=inf", "earlier off -")
    plan = made.file_system().release(state(qos(SET), change(title=title)))
    assert [command.text for command in plan.commands] == [
        f"mmchqos {FS} --enable pool=system,maintenance=unlimited",
        f"mmchqos {FS} --disable",
    ]
    assert [each.split()[1] for each in plan.titles] == ["part", "release"]


def test_a_limit_for_the_helpers_alone_is_lifted_for_them() -> None:
    title = TITLE.replace("maintenance=2600Iops", "maintenance/n1+n2+n3=325Iops").replace(
        "maintenance=inf;", "maintenance/all_local=inf;"
    )
    model = state(qos("other=inf maintenance/all_local=inf maintenance/x=325Iops"), change(title=title))
    assert [command.text for command in made.file_system().release(model).commands] == [
        f"mmchqos {FS} --enable pool=system,other=unlimited,maintenance=unlimited",
        f"mmchqos {FS} --enable -N n1,n2,n3 pool=system,maintenance=unlimited",
    ]


def test_after_a_release_nothing_of_ours_holds() -> None:
    model = state(qos(), change(at=made.NOW - 500.0), change("release", at=made.NOW - 50.0))
    assert made.file_system().brake(model).held is None
    assert made.file_system().release(model).refused.startswith("no limit of ours holds")


def test_limits_that_still_hold_when_no_scan_runs_are_a_problem() -> None:
    over = made.job(JobState.FINISHED, f"mmrestripefs {FS} -r -N n1,n2,n3", rc=0)
    model = state(qos(SET), change(), scan=over)
    brake = made.file_system().brake(model)
    assert (brake.scanning, brake.restore_due) == (False, True)
    (problem,) = [each for each in made.file_system().problems(model) if each.label == "Brake"]
    assert problem.value.startswith("limits of ours still hold, set at 13:44: to 325 IOPS for 3 helpers. Before it was")


def test_what_somebody_else_has_changed_since_is_not_brought_back_unasked() -> None:
    over = made.job(JobState.FINISHED, f"mmrestripefs {FS} -r -N n1,n2,n3", rc=0)
    brake = made.file_system().brake(state(qos("other=inf maintenance=77Iops"), change(), scan=over))
    assert brake.held is not None
    assert brake.held.others == "somebody has changed them since: pool=system,other=inf,maintenance=77Iops"
    assert not brake.restore_due
    restored = made.file_system().brake(state(qos("other=inf maintenance=inf"), change(), scan=over))
    assert restored.held is None  # somebody did it by hand


def test_while_a_scan_runs_nothing_is_brought_back_unasked() -> None:
    assert not made.file_system().brake(state(qos(SET), change())).restore_due


def test_a_change_of_which_nobody_knows_whether_it_was_done_is_told_so() -> None:
    model = state(qos(SET), change(rc=None))
    (problem,) = [each for each in made.file_system().problems(model) if each.label == "Brake"]
    assert "whether to 325 IOPS for 3 helpers was set is not known" in problem.value
    assert not made.file_system().brake(model).restore_due


def test_a_change_that_failed_holds_nothing() -> None:
    assert made.file_system().brake(state(qos(), change(rc=1))).held is None
