import { createServer, type Server } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

interface Answered {
  readonly method: string;
  readonly route: string;
  /** As the caller named it, if that is the call's own; else `unknown`. */
  readonly module: string;
  readonly status: number;
}

export interface HttpMetrics {
  observe(answered: Answered, ms: number): void;
}

/** Prometheus metrics of the process, on a port of their own so that they are never public. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "perya_http_request_seconds",
    help: "Time to answer a request",
    labelNames: ["method", "route", "module", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const movements = new Counter({
    name: "perya_ledger_wallets_moved_total",
    help: "Wallets changed by committed ledger batches",
    registers: [registry],
  });
  const sockets = new Gauge({
    name: "perya_sockets_open",
    help: "Open live connections",
    registers: [registry],
  });
  const oldestJob = new Gauge({
    name: "perya_jobs_oldest_due_seconds",
    help: "How long the oldest job that is due, of this process's tasks, has waited in any process",
    registers: [registry],
  });
  const oldestOutside = new Gauge({
    name: "perya_jobs_oldest_outside_seconds",
    help: "How long the oldest job that waits for somebody outside (a payment provider, owners' mail) has been due",
    registers: [registry],
  });
  const oldestUntaken = new Gauge({
    name: "perya_jobs_oldest_untaken_seconds",
    help: "How long the oldest job that is due has waited, of tasks that this process does not have",
    registers: [registry],
  });
  const vendorAlarms = new Counter({
    name: "perya_vendor_alarms_total",
    help: "What outside vendors sent that only a person can put right, such as a win beyond bounds",
    labelNames: ["what"],
    registers: [registry],
  });
  const gamesBeyond = new Gauge({
    name: "perya_game_return_beyond_bound",
    help: "What a game gave back of its stakes in two days, where that is beyond its bound",
    labelNames: ["brand", "vendor", "game"],
    registers: [registry],
  });
  const http: HttpMetrics = {
    observe: (answered, ms) => requests.observe({ ...answered }, ms / 1_000),
  };
  return {
    registry,
    http,
    movements,
    sockets,
    oldestJob,
    oldestOutside,
    oldestUntaken,
    vendorAlarms,
    gamesBeyond,
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetricsServer(metrics: Metrics): Server {
  return createServer((request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.registry.metrics().then(
      (text) => response.writeHead(200, { "content-type": metrics.registry.contentType }).end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
}
