"""OpenCV's transparent API: operations on UMat, on the device, give what the same
operations give on the processor, to within what OpenCV's own tests allow: 3 of 255,
or 0.1 % of the largest value."""
import sys

import cv2
import numpy

random = numpy.random.default_rng(1)
colour = cv2.GaussianBlur(
    random.integers(0, 256, (97, 131, 3), dtype=numpy.uint8), (5, 5), 1.5)
gray = cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY)
other = gray[::-1].copy()
real = gray.astype(numpy.float32) / 255
noise = random.random(real.shape, dtype=numpy.float32)
square = noise[:64, :64].copy()
turn = numpy.float32([[1.1, .1, -3], [-.2, .9, 5]])

OPERATIONS = [
    ("add", cv2.add, gray, other),
    ("multiply", cv2.multiply, real, noise),
    ("compare", lambda a, b: cv2.compare(a, b, cv2.CMP_GT), gray, other),
    ("log", cv2.log, real + 1),
    ("pow", lambda a: cv2.pow(a, 2.5), real),
    ("phase", cv2.phase, real, noise),
    ("gemm", lambda a, b: cv2.gemm(a, b, 1, None, 0), square, square + 1),
    ("flip", lambda a: cv2.flip(a, 1), colour),
    ("sum", lambda a: numpy.array(cv2.sumElems(a)), real),
    ("minMaxLoc", lambda a: numpy.array(cv2.minMaxLoc(a)[:2]), real),
    ("reduce", lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32F),
     real),
    ("dft", lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), square),
    ("Lab", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2Lab), colour),
    ("GaussianBlur", lambda a: cv2.GaussianBlur(a, (7, 7), 2), colour),
    ("medianBlur", lambda a: cv2.medianBlur(a, 5), colour),
    ("Sobel", lambda a: cv2.Sobel(a, cv2.CV_32F, 1, 0), gray),
    ("dilate", lambda a: cv2.dilate(a, numpy.ones((3, 3), numpy.uint8)),
     colour),
    ("resize", lambda a: cv2.resize(a, (200, 150)), colour),
    ("warpAffine", lambda a: cv2.warpAffine(a, turn, (131, 97)), colour),
    ("integral", cv2.integral, gray),
    ("Canny", lambda a: cv2.Canny(a, 50, 150), gray),
    ("equalizeHist", cv2.equalizeHist, gray),
    ("cornerHarris", lambda a: cv2.cornerHarris(a, 3, 3, .04), gray),
]


def run(operation, arguments, on_device):
    """The result as an array."""
    cv2.ocl.setUseOpenCL(on_device)
    if on_device:
        arguments = [cv2.UMat(a) for a in arguments]
    result = operation(*arguments)
    return result.get() if isinstance(result, cv2.UMat) else result


def main():
    cv2.ocl.setUseOpenCL(True)
    if not cv2.ocl.useOpenCL():
        sys.exit("OpenCV finds no device")
    wrong = 0
    for name, operation, *arguments in OPERATIONS:
        want = run(operation, arguments, False)
        got = run(operation, arguments, True)
        allowed = 3 if want.dtype == numpy.uint8 else 1e-3 * abs(want).max()
        apart = abs(got.astype(float) - want.astype(float)).max()
        if apart > allowed:
            wrong += 1
            print(f"{name}: {apart} apart")
    print(f"{len(OPERATIONS)} operations, {wrong} wrong")
    sys.exit(wrong > 0)


main()
