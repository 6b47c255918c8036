# The demo in a container:
#   docker build -t sweepless . && docker run --name demo sweepless && docker cp demo:/out/demo-report.html .
FROM python:3.12-slim
WORKDIR /sweepless
COPY . .
RUN pip install --no-cache-dir ".[reports,progress]" && useradd --create-home demo && mkdir /out && chown demo /out
USER demo
WORKDIR /out
CMD ["python", "/sweepless/examples/demo.py"]
