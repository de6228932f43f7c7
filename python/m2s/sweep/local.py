"""Points on this machine, several at a time."""

import concurrent.futures
import threading

from m2s.sweep.point import Runs, run_point


def run_all(out, manifests, jobs, progress):
    """Runs the points. progress(result) is called after each, from one thread
    at a time. An interrupt ends all runs; they leave no result."""
    runs, turn = Runs(), threading.Lock()

    def one(manifest):
        result = run_point(out, manifest, runs)
        if result:
            with turn:
                progress(result)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(one, manifest) for manifest in manifests]
        try:
            for task in tasks:
                task.result()
        except BaseException:
            runs.end()
            pool.shutdown(cancel_futures=True)
            raise
