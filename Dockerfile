# Changewire in a container: slim, without root, its dependencies by their hashes.
#   docker build -t changewire . && docker run -p 8080:8080 -v changewire:/data changewire
# The base image is a build setting; by its digest a build is the same tomorrow:
#   docker build --build-arg BASE=python:3.11-slim@sha256:… -t changewire .
ARG BASE=python:3.11-slim
FROM ${BASE} AS build
WORKDIR /build
COPY requirements.lock ./
RUN python -m venv /opt/changewire \
    && /opt/changewire/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN /opt/changewire/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM ${BASE}
RUN useradd --system --uid 10001 --home-dir /data --create-home changewire
COPY --from=build /opt/changewire /opt/changewire
ENV PATH=/opt/changewire/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CHANGEWIRE_DATABASE_URL=sqlite:////data/changewire.db \
    CHANGEWIRE_OUTBOX=/data/outbox \
    CHANGEWIRE_LOG=json
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["changewire"]
CMD ["up", "--host", "0.0.0.0"]
