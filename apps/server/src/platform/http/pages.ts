import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import fastifyStatic from "@fastify/static";
import { type Clock, stillStands } from "@perya/kernel/instant";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { escapeHtml } from "../escape-html.ts";
import { contentSecurityPolicy, POLICY_HEADER } from "./security-headers.ts";

interface PageHead {
  /** The application's name if a phone lists it among its own. */
  readonly brand: string;
  readonly title: string;
  readonly description: string;
  /** Absolute address. */
  readonly canonical: string;
  readonly language: string;
  /** Origins that the page may call besides its own. */
  readonly connectsTo: readonly string[];
}

export interface AppAddresses {
  /** Begins the path of each of its pages and files: empty, or such as "/office". */
  readonly prefix: string;
  /** Matches what follows the prefix where no page is. */
  readonly notPages: RegExp;
  /** The page at a path, in its one spelling; null sends the browser to `home`. */
  readonly pageAt: (path: string) => string | null;
  readonly home: string;
}

export interface PagesOptions {
  readonly addresses: AppAddresses;
  readonly folder: string;
  readonly clock: Clock;
  /** Origins of pages' pictures besides their own. */
  readonly imageOrigins: readonly string[];
  /** Hosts of an outside service that pages use, as sources of their policy. */
  readonly serviceHosts: ServiceHosts;
  /** Null for a host that no brand has. */
  readonly head: (host: string, path: string) => Promise<PageHead | null>;
  /** The brand's own part of the build's manifest; null for a host that no brand has. */
  readonly manifest: (host: string) => Promise<Readonly<Record<string, string>> | null>;
  /** Origins besides its own whose pages the page of a path may show in a frame. */
  readonly frames: (host: string, path: string) => Promise<readonly string[]>;
  /** `robots.txt` and `sitemap.xml`, of one app per host; null for a host that no brand has. */
  readonly robots?: (host: string) => Promise<string | null>;
  readonly sitemap?: (host: string) => Promise<string | null>;
  /** What the page shows before the application runs: HTML without scripts. */
  readonly shell: (host: string, path: string) => Promise<string>;
  /** What the application would request first, so that it need not. */
  readonly boot: (host: string, regionClosed: boolean) => Promise<object | null>;
  /** Whether the brand is closed at the caller's place; all others share one page. */
  readonly regionClosed: (request: FastifyRequest) => Promise<boolean>;
}

interface ServiceHosts {
  readonly scripts: readonly string[];
  readonly connections: readonly string[];
  readonly frames: readonly string[];
}

interface Page {
  readonly html: Buffer;
  readonly brotli: Buffer;
  readonly connectsTo: readonly string[];
  readonly frames: readonly string[];
  readonly until: number;
}

/** As brand settings may be two seconds old by then, a page is of the last five seconds. */
const PAGE_CACHE_MS = 2_000;
const PAGES_MAX = 500;
const MANIFEST = "manifest.webmanifest";
const compress = promisify(brotliCompress);

/** By the address of a flag. */
const DRAWING = /\.svg$/;

/**
 * An app: its hashed assets, compressed at build time and cached for a year, and its page, which is
 * answered with title, description, canonical link and boot data. Apps of different prefixes share
 * nothing: each has its own service worker, whose scope is the prefix.
 */
export async function servePages(app: FastifyInstance, options: PagesOptions): Promise<void> {
  const { folder, addresses } = options;
  const indexFile = join(folder, "index.html");
  if (!existsSync(indexFile)) {
    app.log.warn({ folder }, "the web application is not built; only the interface is served");
    return;
  }
  const template = readFileSync(indexFile, "utf8");
  const serve = async (own: FastifyInstance) => {
    await serveFiles(own, folder);
    serveTexts(own, options);
    own.setNotFoundHandler(answerPage(template, options));
  };
  await app.register(serve, { prefix: addresses.prefix });
}

async function serveFiles(app: FastifyInstance, folder: string): Promise<void> {
  const files = { index: false as const, preCompressed: true, cacheControl: false };
  await app.register(async (assets) => {
    // Flags, which an image CDN of another origin serves unchanged. The headers of every reply are
    // set already, and would replace what is written past them.
    assets.addHook("onRequest", (request, reply, done) => {
      if (DRAWING.test(pathOf(request))) {
        void reply.header("cross-origin-resource-policy", "cross-origin");
      }
      done();
    });
    // One route for hundreds of them: a route each would be an eighth of the start's work.
    await assets.register(fastifyStatic, {
      ...files,
      root: join(folder, "assets"),
      prefix: "/assets/",
      decorateReply: false,
      allowedPath: (path) => !path.endsWith(".map"),
      setHeaders: (response) =>
        response.setHeader("cache-control", "public, max-age=31536000, immutable"),
    });
  });
  // The other files have a route each, so that no page's path is looked up on the disk.
  await app.register(fastifyStatic, {
    ...files,
    root: folder,
    decorateReply: false,
    wildcard: false,
    globIgnore: ["assets/**", "**/*.html", "**/*.map", `${MANIFEST}*`],
    setHeaders: (response) => response.setHeader("cache-control", "no-cache"),
  });
}

function serveTexts(app: FastifyInstance, options: PagesOptions): void {
  const { folder, robots, sitemap, manifest } = options;
  const listings = [
    ["/robots.txt", "text/plain", robots],
    ["/sitemap.xml", "application/xml", sitemap],
  ] as const;
  for (const [path, type, of] of listings) {
    if (of === undefined) continue;
    app.get(path, async (request, reply) => {
      const text = await of(request.sender.hostname);
      if (text === null) return noBrand(reply);
      return reply.type(`${type}; charset=utf-8`).send(text);
    });
  }
  const ofBuild: object = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"));
  app.get(`/${MANIFEST}`, async (request, reply) => {
    const own = await manifest(request.sender.hostname);
    if (own === null) return noBrand(reply);
    void reply.type("application/manifest+json").header("cache-control", "no-cache");
    return reply.send(JSON.stringify({ ...ofBuild, ...own }));
  });
}

/** Answers every path that is no file and no call. */
function answerPage(template: string, options: PagesOptions) {
  const { addresses, imageOrigins: images, serviceHosts: service } = options;
  const { prefix, notPages, pageAt, home } = addresses;
  const pageOf = createPages(template, options);
  // Only of the build's own page: what is filled into it later may bring no script.
  const scripts = [...template.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, code = ""]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`,
  );
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = pathOf(request);
    const reads = request.method === "GET" || request.method === "HEAD";
    const wantsPage = reads && /text\/html|\*\/\*/.test(request.headers.accept ?? "*/*");
    if (!wantsPage || notPages.test(asked.slice(prefix.length))) {
      // Another version beside this one may have the asset that this one lacks.
      void reply.code(404).header("cache-control", "no-store");
      return reply.type("text/plain; charset=utf-8").send("not found\n");
    }
    const path = pageAt(asked);
    if (path === null) return reply.redirect(home, 302);
    const made = await pageOf(request.sender.hostname, path, await options.regionClosed(request));
    if (made === null) return noBrand(reply);
    const besides = {
      images,
      scripts: [...scripts, ...service.scripts],
      connections: [...made.connectsTo, ...service.connections],
      frames: [...made.frames, ...service.frames],
    };
    void reply
      .type("text/html; charset=utf-8")
      .header(POLICY_HEADER, contentSecurityPolicy(besides))
      .header("cache-control", "no-cache")
      .header("vary", "accept-encoding");
    if (!/\bbr\b/.test(String(request.headers["accept-encoding"] ?? ""))) {
      return reply.send(made.html);
    }
    return reply.header("content-encoding", "br").send(made.brotli);
  };
}

/** Makes pages, and keeps each for a short time. */
function createPages(template: string, options: PagesOptions) {
  const { clock } = options;
  const pages = new LRUCache<string, Page>({ max: PAGES_MAX });
  const making = new Map<string, Promise<Page | null>>();

  async function make(host: string, path: string, regionClosed: boolean): Promise<Page | null> {
    // Before it is read: its data are no older than this.
    const at = clock.now();
    const [head, shell, boot, frames] = await Promise.all([
      options.head(host, path),
      options.shell(host, path),
      options.boot(host, regionClosed),
      options.frames(host, path),
    ]);
    if (head === null) return null;
    const html = Buffer.from(fill(template, head, shell, { at, ...boot }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    const brotli = await compress(html, { params });
    const until = clock.now() + PAGE_CACHE_MS;
    return { html, brotli, connectsTo: head.connectsTo, frames, until };
  }

  /** The first of all who request a page at once makes it, however long that takes. */
  return async (host: string, path: string, regionClosed: boolean): Promise<Page | null> => {
    const name = `${host} ${path} ${regionClosed}`;
    const cached = pages.get(name);
    if (cached !== undefined && stillStands(cached.until, clock.now(), PAGE_CACHE_MS))
      return cached;
    const underWay = making.get(name);
    if (underWay !== undefined) return underWay;
    const made = make(host, path, regionClosed);
    making.set(name, made);
    try {
      const page = await made;
      if (page !== null) pages.set(name, page);
      return page;
    } finally {
      making.delete(name);
    }
  };
}

function pathOf({ url }: FastifyRequest): string {
  return url.split("?")[0] ?? "/";
}

function noBrand(reply: FastifyReply) {
  return reply.code(404).type("text/plain; charset=utf-8").send("no such brand\n");
}

function fill(template: string, head: PageHead, shell: string, boot: object): string {
  const tags = [
    `<meta name="apple-mobile-web-app-title" content="${escapeHtml(head.brand)}" />`,
    `<title>${escapeHtml(head.title)}</title>`,
    `<meta name="description" content="${escapeHtml(head.description)}" />`,
    `<link rel="canonical" href="${escapeHtml(head.canonical)}" />`,
  ].join("\n    ");
  // A data block: never run. "<" is escaped so that no text in it can end the element.
  const data = JSON.stringify(boot).replaceAll("<", "\\u003c");
  return template
    .replace('<html lang="fil">', `<html lang="${escapeHtml(head.language)}">`)
    .replace("<!--head-->", () => tags)
    .replace("<!--shell-->", () => shell)
    .replace("<!--boot-->", () => data);
}

export function buildVersion(folder: string, version: string): string {
  const indexFile = join(folder, "index.html");
  if (!existsSync(indexFile)) return version;
  const hash = createHash("sha256").update(readFileSync(indexFile)).digest("hex").slice(0, 8);
  return `${version}+${hash}`;
}
