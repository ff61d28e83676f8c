"""Runs of lapl that begin with a fork (forks.cpp): each asking thread has a process, which makes one run at a time."""
import json
import os
import pathlib
import subprocess
import threading


class Forks:
    def __init__(self, program: pathlib.Path, environment: dict[str, str]):
        self._program = program
        self._environment = {**os.environ, **environment}
        self._of_thread = threading.local()

    def ask(self, **request) -> tuple[int, str, str]:
        """The run's status as from waitpid, its standard output and its standard error."""
        if not hasattr(self._of_thread, "process"):
            self._of_thread.process = subprocess.Popen([self._program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                       text=True, env=self._environment)
        process = self._of_thread.process
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        return answer["status"], answer["out"], answer["err"]
