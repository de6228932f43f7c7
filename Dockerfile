# An image with m2s and what compiles OpenCL programs:
#	docker build -t m2s .
#	docker run --rm -v "$PWD:/work" m2s m2s --evg-sim detailed ./program
FROM debian:12 AS build
COPY . /source
WORKDIR /source
RUN ./quickstart deps
RUN autoreconf -i
RUN mkdir -p /build
WORKDIR /build
RUN /source/configure --prefix=/usr
RUN make -j"$(nproc)"
RUN make install DESTDIR=/image

FROM debian:12
RUN apt-get update
RUN apt-get install -y --no-install-recommends clang-16 libclc-16 libllvm16 libzydis4.0 libelf1 libdw1 libxml2 zlib1g libseccomp2 python3 gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers pkgconf
COPY --from=build /image /
WORKDIR /work
CMD ["m2s", "--help"]
