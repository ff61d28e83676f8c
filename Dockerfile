# Images of lapl. The commands are those with which scripts/check-fresh tries a new machine: scripts/run, cpack, and the
# Debian package in another root.
#
#   docker build --tag lapl .
#   docker build --tag lapl-cuda --target cuda .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" lapl run coral.yaml
#   docker run --rm --gpus all --user "$(id -u):$(id -g)" --volume "$PWD:/work" lapl-cuda run coral.yaml --backend cuda
#
# Read docs/install.md, "Passing on a binary", before you publish an image. The images have no MPI: for --ranks use
# scripts/run. Nobody has built the stages with CUDA yet: NVIDIA has no image of Debian 12, so they are Ubuntu 24.04.
ARG CUDA=12.6.3

FROM nvidia/cuda:${CUDA}-devel-ubuntu24.04 AS cuda-build
WORKDIR /lapl
COPY . .
RUN scripts/run configs/tutorial-small.yaml
WORKDIR /lapl/build
# hadolint ignore=DL3008
RUN apt-get -q install -y --no-install-recommends file dpkg-dev && cpack -G DEB

FROM nvidia/cuda:${CUDA}-runtime-ubuntu24.04 AS cuda
COPY --from=cuda-build /lapl/build/lapl_*.deb /tmp/
# The image drops files below /usr/share/doc, where configs/ lies. g++ compiles formulas for the CPU.
# hadolint ignore=DL3008
RUN rm -f /etc/dpkg/dpkg.cfg.d/excludes && apt-get -q update && \
    apt-get -q install -y --no-install-recommends /tmp/lapl_*.deb g++ && \
    rm -rf /var/lib/apt/lists/* /tmp/lapl_*.deb && \
    lapl run /usr/share/doc/lapl/configs/tutorial-small.yaml --output /tmp/run && \
    lapl inspect /tmp/run && rm -r /tmp/run && \
    useradd --uid 10000 --create-home lapl && install -d -o lapl /work
USER 10000
WORKDIR /work
ENTRYPOINT ["lapl"]

FROM debian:12 AS build
WORKDIR /lapl
COPY . .
RUN scripts/run configs/tutorial-small.yaml
WORKDIR /lapl/build
# hadolint ignore=DL3008
RUN apt-get -q install -y --no-install-recommends file dpkg-dev && cpack -G DEB

FROM debian:12 AS cpu
COPY --from=build /lapl/build/lapl_*.deb /tmp/
# g++ compiles formulas, which then run several times as fast.
# hadolint ignore=DL3008
RUN apt-get -q update && \
    apt-get -q install -y --no-install-recommends /tmp/lapl_*.deb g++ && \
    rm -rf /var/lib/apt/lists/* /tmp/lapl_*.deb && \
    lapl run /usr/share/doc/lapl/configs/tutorial-small.yaml --output /tmp/run && \
    lapl inspect /tmp/run && rm -r /tmp/run && \
    useradd --uid 10000 --create-home lapl && install -d -o lapl /work
USER 10000
WORKDIR /work
ENTRYPOINT ["lapl"]
