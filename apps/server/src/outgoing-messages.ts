import type { Clock } from "@perya/kernel/instant";
import type { Config } from "./platform/config.ts";
import type { Logger } from "./platform/log.ts";
import { smtpMailer } from "./platform/mail/mail.ts";
import { createOutbox } from "./platform/outbox.ts";
import type { ServerModule } from "./platform/server-module.ts";
import { httpSmsSender } from "./platform/sms/sms.ts";

/**
 * How mails and SMS leave. If none is configured, development keeps them in its outbox, and
 * production has null, so that what needs them is off.
 */
export function outgoingMessages(config: Config, clock: Clock, log: Logger) {
  const configured = config.mail !== null && config.sms !== null;
  const outbox =
    configured || config.environment === "production" ? null : createOutbox({ clock, log });
  const smtp = config.mail === null ? null : smtpMailer({ ...config.mail, log });
  const mailer = smtp ?? outbox?.mailer ?? null;
  const sms = config.sms === null ? (outbox?.sms ?? null) : httpSmsSender({ ...config.sms, log });
  return {
    ...{ mailer, sms, close: async () => smtp?.close() },
    pages: (app) => {
      if (outbox === null) return;
      app.get("/outbox", async (_request, reply) =>
        reply
          .type("text/html; charset=utf-8")
          .header("cache-control", "no-store")
          .send(outbox.page()),
      );
    },
  } satisfies ServerModule;
}
