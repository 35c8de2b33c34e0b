import { SMTPServer, type SMTPServerOptions } from "smtp-server";

interface Arrived {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: unknown;
  readonly raw: string;
}

export interface MailServer {
  readonly port: number;
  /** The mails that arrived, oldest first. */
  readonly arrived: readonly Arrived[];
  close(): Promise<void>;
}

/** A real SMTP server on loopback, on a free port if none is given; it stores its mails. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  wanted = 0,
): Promise<MailServer> {
  const arrived: Arrived[] = [];
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    logger: false,
    onData(stream, { envelope, user }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        arrived.push({
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          user,
          raw: Buffer.concat(chunks).toString("utf8"),
        });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  const port = await new Promise<number>((resolve) => {
    const listener = server.listen(wanted, "127.0.0.1", () => {
      const address = listener.address();
      resolve(typeof address === "object" ? (address?.port ?? 0) : 0);
    });
  });
  return { arrived, port, close: () => new Promise<void>((done) => server.close(done)) };
}
