import type { IdKind } from "@perya/kernel/ids";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Api, Body, CommandKey, Reply } from "./api.ts";
import { freshId } from "./ids.ts";
import {
  askUntilDefinite,
  dropIntention,
  type IntentionStore,
  isWished,
  keepIntention,
  markAnswered,
  readIntention,
  slotOf,
} from "./intention.ts";
import { EndUnknown, SessionChanged } from "./refused.ts";

/** What a command says, without the id that this file gives it. */
export type Content<K extends CommandKey> = Omit<Body<K>, "id">;

/** One that was sent, and how it is known by. */
interface Sent<K extends CommandKey> {
  readonly id: string;
  readonly content: Content<K>;
  /** It was begun by a page that was left: whoever waited for its end sees it only now. */
  readonly resumed: boolean;
}

export interface IntentionOptions<K extends CommandKey> {
  readonly api: Pick<Api, "command" | "serverNow">;
  /** The tab's: two tabs have two intentions. */
  readonly store: IntentionStore;
  /** Whose it is; null while nobody is signed in, when nothing is asked. */
  readonly account: string | null;
  /** Who is signed in at this moment: a part that is out of sight is told of it late. */
  readonly accountNow: () => string | null;
  /** Apart from others of the same command, such as the game's name. */
  readonly purpose?: string;
  readonly onDone: (reply: Reply<K>, sent: Sent<K>) => void;
  /** Nothing happened; or it is an `EndUnknown`, and the same again is one with it. */
  readonly onRefused: (error: unknown, sent: Sent<K>) => void;
  /** Its words stay out of the storage. */
  readonly secret?: boolean;
  /** It stays after its answer until `release`, so that a reload may show its result once more. */
  readonly held?: boolean;
  readonly pausesMs?: readonly number[];
}

/** `checking`: nobody knows how it ended, and it is asked for again by itself. */
export type IntentionView<K extends CommandKey> =
  | { readonly phase: "rest"; readonly error: unknown }
  | { readonly phase: "sending" | "checking"; readonly error: unknown; readonly sent: Sent<K> };

export interface UsedIntention<K extends CommandKey> {
  readonly view: IntentionView<K>;
  /** Begins one unless one is under way; answers its id, or null where it began none. */
  send(content: Content<K>): string | null;
  release(id: string): void;
}

const AT_REST = { phase: "rest", error: null } as const;

/** The kinds of ids; null where what is sold names the command. The compiler misses none. */
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

/** The one way in which the browser sends what moves money or makes something. */
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
    (
      given: string,
      { id, content, resumed }: Sent<K>,
      lostAt: number | null,
      pressedAt: number,
    ) => {
      const { api, store, account, accountNow, secret, held, pausesMs } = latest.current;
      const stop = new AbortController();
      running.current = stop;
      const sent: Sent<K> = { id, content, resumed };
      // Content lacks of the body but the id, where there is one.
      const body = (KINDS[key] === null ? content : { id, ...content }) as Body<K>;
      const ask = () => {
        if (accountNow() !== account) throw new SessionChanged(`not asked for: ${key}`);
        const kept = { id, sentAt: Date.now(), pressedAt };
        keepIntention(store, given, secret === true ? kept : { ...kept, content });
        return api.command(key, body);
      };
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
          // Nobody is there to be told: who comes back asks once more, under the same id.
          if (held === true || running.current !== stop) markAnswered(store, given, id);
          else dropIntention(store, given, id);
          end(null, () => latest.current.onDone(reply, sent));
        },
        (error: unknown) => {
          if (stop.signal.aborted && error === stop.signal.reason) return;
          if (!(error instanceof EndUnknown)) dropIntention(store, given, id);
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
    // A page that comes back later asks nothing: the lists show what became of it. What nobody was
    // told of stands, at any age, and a form that stays filled could make it twice.
    const isUntold = kept?.answered === true && latest.current.held !== true;
    if (kept?.content !== undefined && (isUntold || isWished(pressedAt, Date.now()))) {
      // It was written by this very hook under this key.
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
      // One whose end nobody knows keeps its id: the server tells whether this is the same.
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
