# docker build --tag verifier .  and then, in a folder with spec files:
# docker run --rm --volume "$PWD:/work" verifier check survey.privacy.yaml
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels ".[html,terminal]"

FROM python:3.12-slim
# git is for `verifier diff`, which may read a repository of another owner
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory '*'
# hadolint ignore=DL3013
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index --find-links /wheels "privacy-verifier[html,terminal]"
RUN useradd --create-home --uid 1000 verifier
USER 1000
WORKDIR /work
ENTRYPOINT ["verifier"]
CMD ["--help"]
