# docker build -t schedcheck . && docker run --rm -v "$PWD:/work:ro" schedcheck lint manifests/
ARG BASE=python:3.13-slim
FROM ${BASE} AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/schedcheck \
    && /opt/schedcheck/bin/pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt ".[html]" \
    && find /opt/schedcheck/lib -type d -name tests -prune -exec rm -r {} + \
    && /opt/schedcheck/bin/pip uninstall --yes pip

FROM ${BASE}
COPY --from=build /opt/schedcheck /opt/schedcheck
ENV PATH=/opt/schedcheck/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    SCHEDCHECK_TABLES=none
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["schedcheck"]
CMD ["--help"]
