import type { IdKind } from "@perya/kernel/ids";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Api, Body, CommandKey, Reply } from "./api.ts";
import type { TextStore } from "./browser-storage.ts";
import { freshId } from "./ids.ts";
import {
  askUntilDefinite,
  dropIntention,
  isWished,
  keepIntention,
  markAnswered,
  readIntention,
  slotOf,
} from "./intention.ts";
import { EndUnknown, SessionChanged } from "./refused.ts";

/** A command's content, without the id that this file adds. */
export type Content<K extends CommandKey> = Omit<Body<K>, "id">;

/** A sent command, with its id. */
interface Sent<K extends CommandKey> {
  readonly id: string;
  readonly content: Content<K>;
  /** A page that was left began it: the player sees its end only now. */
  readonly resumed: boolean;
}

export interface IntentionOptions<K extends CommandKey> {
  readonly api: Pick<Api, "command" | "serverNow">;
  /** The tab's own: two tabs have two intentions. */
  readonly store: TextStore;
  /** The player's account; null for a visitor, who sends nothing. */
  readonly account: string | null;
  /** The account that is logged in at this moment: a hidden part hears of it late. */
  readonly accountNow: () => string | null;
  /** Distinguishes it from others of the same command, such as the game's name. */
  readonly purpose?: string;
  readonly onDone: (reply: Reply<K>, sent: Sent<K>) => void;
  /** Nothing happened; or it is an `EndUnknown`, and the same wish again is the same command. */
  readonly onRefused: (error: unknown, sent: Sent<K>) => void;
  /** Its content is not stored. */
  readonly secret?: boolean;
  /** It stays after its answer until `release`, so that a reload may show its result once more. */
  readonly held?: boolean;
  readonly pausesMs?: readonly number[];
}

/** `checking`: its end is unknown, and it is asked about automatically. */
export type IntentionView<K extends CommandKey> =
  | { readonly phase: "rest"; readonly error: unknown }
  | { readonly phase: "sending" | "checking"; readonly error: unknown; readonly sent: Sent<K> };

export interface UsedIntention<K extends CommandKey> {
  readonly view: IntentionView<K>;
  /** Begins one unless one is under way; returns its id, or null where it began none. */
  send(content: Content<K>): string | null;
  release(id: string): void;
}

const AT_REST = { phase: "rest", error: null } as const;

/** The kinds of ids; null where the command names what it sells. The compiler misses none. */
const KINDS: Readonly<Record<CommandKey, IdKind | null>> = {
  "POST /api/v1/cashier/deposits": "deposit",
  "POST /api/v1/cashier/withdrawals": "withdrawal",
  "POST /api/v1/rounds": "round",
  "POST /api/v1/saranggola/bets": "bet",
  "POST /api/v1/saranggola/cash-outs": null,
  "POST /api/v1/cockfight/bets": "bet",
  "POST /api/v1/lottery/tickets": "bet",
  "POST /api/v1/sports/bets": "bet",
  "POST /api/v1/sports/cash-outs": null,
  "POST /api/v1/promotions/applications": "application",
  "POST /api/v1/red-rain/catches": "catch",
  "POST /api/v1/agent/contract-offers": "contract",
  "PUT /api/v1/feedback": "feedback",
};

/** The only way in which the browser sends a command that moves money or makes something. */
export function useIntention<K extends CommandKey>(
  key: K,
  options: IntentionOptions<K>,
): UsedIntention<K> {
  const { account, purpose = "" } = options;
  const slot = account === null ? null : slotOf(account, `${key}${purpose}`);
  const [view, setView] = useState<IntentionView<K>>(AT_REST);
  const running = useRef<AbortController | null>(null);
  const latest = useRef(options);
  latest.current = options;

  const begin = useCallback(
    (given: string, sent: Sent<K>, lostAt: number | null, pressedAt: number) => {
      const { store, held, pausesMs } = latest.current;
      const stop = new AbortController();
      running.current = stop;
      const ask = sender(key, latest.current, { slot: given, sent, pressedAt });
      const end = (error: unknown, tell: () => void) => {
        if (running.current !== stop) return;
        running.current = null;
        setView({ phase: "rest", error });
        tell();
      };
      setView({ phase: "sending", error: null, sent });
      askUntilDefinite(ask, {
        now: Date.now,
        pause,
        onDoubt: (error) => setView({ phase: "checking", error, sent }),
        signal: stop.signal,
        lostAt,
        pressedAt,
        ...(pausesMs === undefined ? {} : { pausesMs }),
      }).then(
        (reply) => {
          // The page is gone: when the player comes back, the next page asks again under the same
          // id.
          if (held === true || running.current !== stop) markAnswered(store, given, sent.id);
          else dropIntention(store, given, sent.id);
          end(null, () => latest.current.onDone(reply, sent));
        },
        (error: unknown) => {
          if (stop.signal.aborted && error === stop.signal.reason) return;
          if (!(error instanceof EndUnknown)) dropIntention(store, given, sent.id);
          end(error, () => latest.current.onRefused(error, sent));
        },
      );
    },
    [key],
  );

  useEffect(() => {
    if (slot === null) return;
    const kept = readIntention(latest.current.store, slot);
    const pressedAt = kept?.pressedAt ?? kept?.sentAt ?? 0;
    // A later page asks nothing: the lists show the result. An unreported one is shown at any age,
    // because a form that stays filled could otherwise make it twice.
    const isUntold = kept?.answered === true && latest.current.held !== true;
    if (kept?.content !== undefined && (isUntold || isWished(pressedAt, Date.now()))) {
      // This very hook wrote it under this key.
      const content = kept.content as Content<K>;
      begin(slot, { id: kept.id, content, resumed: true }, kept.sentAt, pressedAt);
    }
    return () => {
      running.current?.abort();
      running.current = null;
      setView(AT_REST);
    };
  }, [slot, begin]);

  const send = useCallback(
    (content: Content<K>) => {
      if (slot === null || running.current !== null) return null;
      // One with an unknown end keeps its id: the server tells whether this is the same.
      const { api, store } = latest.current;
      const kept = readIntention(store, slot);
      const left = kept?.answered === true ? null : kept;
      const id = left?.id ?? freshId(KINDS[key] ?? "request", api.serverNow());
      begin(slot, { id, content, resumed: false }, left?.sentAt ?? null, Date.now());
      return id;
    },
    [slot, key, begin],
  );

  const release = useCallback(
    (id: string) => {
      if (slot !== null) dropIntention(latest.current.store, slot, id);
    },
    [slot],
  );

  return { view, send, release };
}

/** Sends a command once, and keeps a record of it first. */
function sender<K extends CommandKey>(
  key: K,
  { api, store, account, accountNow, secret }: IntentionOptions<K>,
  begun: { readonly slot: string; readonly sent: Sent<K>; readonly pressedAt: number },
): () => Promise<Reply<K>> {
  const { id, content } = begun.sent;
  // Content lacks only the id of the body, where the body has one.
  const body = (KINDS[key] === null ? content : { id, ...content }) as Body<K>;
  return () => {
    if (accountNow() !== account) throw new SessionChanged(`not asked for: ${key}`);
    const kept = { id, sentAt: Date.now(), pressedAt: begun.pressedAt };
    keepIntention(store, begun.slot, secret === true ? kept : { ...kept, content });
    return api.command(key, body);
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
