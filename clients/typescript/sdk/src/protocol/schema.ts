// Made from protocol/schema.json by tools/generate.mjs; change that, not this.

/** Any JSON object. */
export type JsonObject = { [key: string]: unknown };

/** Delete your account and your bots, for good. */
export type AccountDelete = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "account.delete";
  /** Yours. */
  password: string;
};

/** Say who you are: by name and password. */
export type AccountLogin = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Which program you are. */
  client?: ClientInfo | null;
  /** Features of `hello.features` to switch on; unknown ones are ignored. */
  features?: string[] | null;
  type: "account.login";
  /** Yours. */
  name: string;
  /** Yours. */
  password: string;
};

/** Take another password; all other logins of yours end. */
export type AccountPassword = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "account.password";
  /** The present one. */
  password: string;
  /** 8 to 128 characters. */
  new: string;
};

/** Become a registered user: a new one, or the guest that you are, with all that is his. */
export type AccountRegister = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Which program you are. */
  client?: ClientInfo | null;
  /** Features of `hello.features` to switch on; unknown ones are ignored. */
  features?: string[] | null;
  type: "account.register";
  /** Nobody else has it, in any case of letters. */
  name: string;
  /** 8 to 128 characters. */
  password: string;
};

/** Take another name; the old one becomes free. */
export type AccountRename = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "account.rename";
  /** The new one. */
  name: string;
  /** Yours. */
  password: string;
};

/** Answer a decision by exactly one of `action`, `choice` and `default`. */
export type Act = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "act";
  /** `id` of `you.decision`. */
  decision: number;
  /** As it stands in `legal`. */
  action?: JsonObject | null;
  /** Index into `you.decision.legal`. */
  choice?: number | null;
  /** Play the default action. */
  default?: true | null;
};

/** A decision was answered. */
export type ActEntry = {
  type: "act";
  decision: number;
  seat: number;
  by: "user" | "bot" | "clock";
  /** Id of the user who answered. */
  user?: string;
  /** Of the game. */
  action: JsonObject;
  /** Its index in the legal list. */
  choice: number;
  /** Index of the default action. */
  default: number;
  /** In a room with a clock: when the answer was read, unix ms. A move takes until then. */
  read?: number;
  /** Unix ms; not in records of games in process. */
  at?: number;
};

/** Say who you are: by a token, or as a new guest. */
export type Auth = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Which program you are. */
  client?: ClientInfo | null;
  /** Features of `hello.features` to switch on; unknown ones are ignored. */
  features?: string[] | null;
  type: "auth";
  /** Makes you the same user again. */
  token?: string | null;
  /** Name of a new guest; suffixed when taken. */
  name?: string | null;
  /** Marks a new guest as a bot. */
  bot?: boolean | null;
};

/** A bank of time for the whole game; each turn that ends adds the increment to its seat's. */
export type Bank = {
  bank_s: number;
  increment_s: number;
};

/** Sent just before the server closes the connection by its own will. */
export type Bye = {
  type: "bye";
  code: CloseCode;
  reason: string;
  reconnect: boolean;
  after_ms: number;
};

/** A line of chat; `n` counts the lines of a room with the same `to` from 1. */
export type ChatNotice = {
  type: "notice";
  kind: "chat";
  topic: string;
  n: number;
  from: User;
  to: "players" | "all" | "spectators";
  text: string;
  at: number;
};

/** Which program connects; for the operator's statistics only. */
export type ClientInfo = {
  name: string;
  version: string;
};

/** What a client sends. Unknown fields are refused. An optional field may be left out or be null, which means the same. */
export type ClientMessage = Auth | Ping | Watch | Unwatch | GamesList | RoomCreate | RoomJoin | RoomLeave | RoomReady | RoomStart | RoomResign | RoomRematch | RoomUpdate | RoomAddBot | RoomRemove | RoomHost | RoomInvite | RoomChat | RoomAbort | Act | QueueJoin | QueueLeave | QueueAccept | AccountRegister | AccountLogin | AccountRename | AccountPassword | AccountDelete | TokenCreate | TokenList | TokenRevoke | SandboxClock | SandboxStep | SandboxLoad | SandboxNetwork | SandboxRestart;

/** Why the server closes a connection. */
export type CloseCode = 4000 | 4001 | 4002 | 4003 | 4004 | 4005 | 4400 | 4401 | 4403 | 1007 | 1009;

/** A decision that waits for you: every action you may take, and the one for lack of any. */
export type Decision = {
  /** Counts from 1 in each room, over all seats. */
  id: number;
  /** Actions of the game; any other is refused. */
  legal: JsonObject[];
  /** Index into `legal`. */
  default: number;
};

/** What changed: a merge patch, and in the game's terms the events that did it. */
export type Diff = {
  type: "diff";
  topic: string;
  /** The previous one plus 1. */
  seq: number;
  /** A JSON merge patch (RFC 7396). */
  patch: JsonObject;
  /** Each has a `type`; the game's page lists them. */
  events: JsonObject[];
  /** Unix ms. */
  at: number;
  /** Of the document after the patch; a feature. */
  hash?: string;
};

/** The server will stop; every running game goes on after its restart. */
export type DrainingNotice = {
  type: "notice";
  kind: "draining";
  after_ms: number;
};

/** What is wrong with a request. */
export type ErrorCode = "bad_message" | "unauthenticated" | "forbidden" | "not_found" | "conflict" | "room_full" | "not_your_decision" | "stale_decision" | "illegal_action" | "rate_limited" | "limit_reached" | "unavailable" | "internal";

/** The request was refused and has changed nothing. */
export type ErrorReply = {
  type: "error";
  /** The `id` of the request. */
  re?: string | number;
  code: ErrorCode;
  /** For people. */
  message: string;
  /** A JSON pointer into your message. */
  path?: string;
  /** The rule of the game that forbids the action. */
  rule?: string;
  /** Wait so long before you try again. */
  retry_after_ms?: number;
  /** Of the room's document. */
  seq?: number;
  /** The decision that waits for you. */
  decision?: number;
  /** What it may be answered with. */
  legal?: JsonObject[];
};

/** What proves that the shuffles were fixed beforehand; `seed` comes with the end. */
export type Fairness = {
  /** SHA-256 of the seed, in hex. */
  commit: string;
  /** Which random stream: 1. */
  stream: number;
  /** By seat, of those who gave one. */
  nonces?: { [key: string]: string };
  /** 32 bytes in hex. */
  seed?: string;
  /** Somebody chose the seed, so the shuffles prove nothing. */
  seed_chosen?: true;
};

/** Step 2: an accountant of that rank goes from the hand to the display. */
export type FamigliaAccountant = {
  rank: number;
  type: "accountant";
};

/** An accountant went to the display. */
export type FamigliaAccountantEvent = {
  type: "accountant";
  seat: number;
  card: string;
};

/** An accountant at work: swaps left, and the types that went either way. */
export type FamigliaAccountantView = {
  /** How many swaps it began with. */
  rank: number;
  /** Swaps left. */
  left: number;
  /** Went to the display. */
  given: ("F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4")[];
  /** Came to the hand. */
  taken: ("F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4")[];
};

export type FamigliaAction = FamigliaRefresh | FamigliaAccountant | FamigliaSwap | FamigliaBrute | FamigliaTake | FamigliaRecruit | FamigliaPass;

/** Step 3: a brute of that rank lowers a street card by `by` for this turn. */
export type FamigliaBrute = {
  rank: number;
  /** On the street. */
  card: "F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4";
  /** At most the brute's rank. */
  by: number;
  type: "brute";
};

/** `brute` went to the display; the street card `card` is lowered by `by` for this turn. */
export type FamigliaBruteEvent = {
  type: "brute";
  seat: number;
  brute: string;
  card: string;
  by: number;
};

/** Cards turned up on the street in this order; `pile` is left. */
export type FamigliaDrawEvent = {
  type: "draw";
  cards: string[];
  pile: number;
};

/** The game is over: both hands are shown, and the points of hand and display counted. */
export type FamigliaEndEvent = {
  type: "end";
  reason: "last_card" | "two_passes";
  hands: { [key: string]: string[] };
  scores: { [key: string]: number };
};

export type FamigliaEvent = FamigliaRefreshEvent | FamigliaDrawEvent | FamigliaReshuffleEvent | FamigliaLastCardEvent | FamigliaAccountantEvent | FamigliaSwapEvent | FamigliaBruteEvent | FamigliaTakeEvent | FamigliaRecruitEvent | FamigliaPassEvent | FamigliaEndEvent;

/** The last card has come: the game ends after the turn with index `last_turn`. */
export type FamigliaLastCardEvent = {
  type: "last_card";
  last_turn: number;
};

/** Rule variants of a room: section 8, and section 6 for `open_hands`. */
export type FamigliaOptions = {
  /** Both hands are shown to everybody. */
  open_hands?: boolean;
  /** No joker for who holds two naturals (ruling 2). */
  strict_joker?: boolean;
  /** The second player's refill that takes the last card ends the game at once (ruling 3). */
  end_now?: boolean;
};

/** End the turn without a recruit. */
export type FamigliaPass = {
  type: "pass";
};

/** A turn ended without a recruit. */
export type FamigliaPassEvent = {
  type: "pass";
  seat: number;
};

/** What one seat sees besides. */
export type FamigliaPrivateView = {
  /** By id. */
  hand: string[];
};

/** What everybody sees. A card that is not in `cards` is in a hand or in the pile. */
export type FamigliaPublicView = {
  /** Place by card id. */
  cards: { [key: string]: "street" | "display:0" | "display:1" | "discard" };
  /** Cards by seat: how many, or with `open_hands` which. */
  hands: { [key: string]: number } | { [key: string]: string[] };
  /** How many are left. */
  pile: number;
  /** 1, or 2 after the reshuffle. */
  pile_no: number;
  /** Under the second pile, the first buried first. */
  buried: string[];
  /** From 1 to 4: the first one whose actions are still open. */
  step: number;
  /** While one swaps. */
  accountant?: FamigliaAccountantView;
  /** What a brute lowered in this turn. */
  reduced?: FamigliaReducedView;
  /** From 0. */
  turn_index: number;
  /** Turns without a recruit, one after the other, up to now. */
  passes: number;
  /** The last card has come. */
  last_round?: true;
};

/** Step 4: a street card for two that are shown; `exhaust`, one of them, goes to the display. */
export type FamigliaRecruit = {
  /** On the street. */
  card: "F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4";
  /** Of its family, one rank below. */
  natural: "F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4";
  /** Another natural, or a mercenary as joker. */
  second: "F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4";
  /** One of the two; the other goes back to the hand. */
  exhaust: "F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4";
  type: "recruit";
};

/** A street card went to the hand for two that were shown; `exhaust` went to the display. */
export type FamigliaRecruitEvent = {
  type: "recruit";
  seat: number;
  card: string;
  shown: string[];
  exhaust: string;
};

/** The street card that is lowered this turn, and by how much. */
export type FamigliaReducedView = {
  /** By id. */
  card: string;
  by: number;
};

/** Step 1 with a street card of that type. */
export type FamigliaRefresh = {
  /** On the street, by type. */
  card: "F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4";
  type: "refresh";
};

/** A street card was put on the discard or under the pile; a draw follows. */
export type FamigliaRefreshEvent = {
  type: "refresh";
  seat: number;
  card: string;
  to: "discard" | "pile";
};

/** The first pile ended: the discard became the second, of `pile` cards. */
export type FamigliaReshuffleEvent = {
  type: "reshuffle";
  pile: number;
};

/** Step 2: one pair of the accountant's exchange between hand and display. */
export type FamigliaSwap = {
  /** From the hand to the display. */
  give: "F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4";
  /** From the display to the hand. */
  take: "F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4";
  type: "swap";
};

/** `give` went to the display, `take` to the hand. */
export type FamigliaSwapEvent = {
  type: "swap";
  seat: number;
  give: string;
  take: string;
};

/** Step 4: a street card of effective rank 0, free. */
export type FamigliaTake = {
  /** On the street. */
  card: "F0" | "F1" | "F2" | "F3" | "F4" | "M0" | "M1" | "M2" | "M3" | "M4" | "B0" | "B1" | "B2" | "B3" | "B4" | "A0" | "A1" | "A2" | "A3" | "A4";
  type: "take";
};

/** A street card of effective rank 0 went to the hand. */
export type FamigliaTakeEvent = {
  type: "take";
  seat: number;
  card: string;
};

/** One game of this server: seat counts, version of its rules, options, built-in bots. */
export type GameInfo = {
  seats: number[];
  rules: number;
  options: JsonObject;
  bots: string[];
};

/** Topic `lobby:<game>`: the newest 500 rooms. */
export type GameLobby = {
  rooms: { [key: string]: GameLobbyRoom };
};

/** A public room that is open or playing. */
export type GameLobbyRoom = {
  status: "open" | "playing" | "ended";
  host: string;
  seats: { [key: string]: LobbySeat };
  rated: boolean;
  clock?: Bank | PerTurn;
  options: JsonObject;
  created: number;
};

/** All that it takes to play a game again and to prove it. */
export type GameRecord = {
  /** Version of this form. */
  record: 1;
  /** Of the room; not in records of games in process. */
  id?: string;
  game: string;
  /** Version of the game's rules. */
  rules: number;
  /** Of games that have editions. */
  edition?: RecordEdition;
  /** Of the game, complete. */
  options: JsonObject;
  rated?: true;
  /** By number, from 0. */
  seats: { [key: string]: RecordSeat };
  fairness: RecordFairness;
  /** Unix ms. */
  started?: number;
  /** In the order in which they happened. */
  entries: (ActEntry | ResignEntry | SubstituteEntry | ReturnEntry)[];
  result: RecordResult;
};

/** List finished games, the newest first: your own, or those of a user (id or name). */
export type GamesList = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "games.list";
  /** Id or name; default: you. */
  user?: string | null;
  /** `next` of the page before. */
  before?: string | null;
  /** Games at most; default 50. */
  limit?: number | null;
};

/** The first frame of each connection. */
export type Hello = {
  type: "hello";
  /** The version of the protocol. */
  protocol: number;
  server: ServerInfo;
  /** What `auth` can switch on. */
  features: string[];
  /** The page of the protocol explains each. */
  limits: { [key: string]: number };
  /** Seconds between the server's pings. */
  heartbeat_s: number;
  /** By name. */
  games: { [key: string]: GameInfo };
};

/** You may watch and join that room without its code. */
export type Invitation = {
  from: User;
  game: string;
  seat?: number;
};

/** One line of a leaderboard. */
export type LadderRow = {
  user: User;
  rating: number;
  games: number;
  provisional: boolean;
};

/** Topic `leaderboard:<game>`: the best 100 by seat class, for people and for bots apart. */
export type Leaderboard = {
  ladders: { [key: string]: { [key: string]: LadderRow[] } };
};

/** Topic `lobby`. */
export type Lobby = {
  online: number;
  games: { [key: string]: LobbyGame };
};

/** Public rooms that are open or playing, and who waits for one. */
export type LobbyGame = {
  open: number;
  playing: number;
  /** By ladder, clock and seats: `casual:none:2`. */
  queues: { [key: string]: Queue };
};

/** A seat as the lobby shows it; empty when free. */
export type LobbySeat = {
  user?: User;
  bot?: string;
};

/** The ready check of a match failed; `reasons` are of all who lost their ticket for it.
 * 
 * `yours` is why you lost yours; if `requeued`, your ticket waits in its old place. */
export type MatchFailedNotice = {
  type: "notice";
  kind: "match_failed";
  ticket: string;
  requeued: boolean;
  reasons: ("declined" | "timeout")[];
  yours?: "declined" | "timeout";
};

/** Topic `me`: your own account; `ratings` by game and seat class.
 * 
 * `watching` has what you watched when your last connection was lost, too. */
export type Me = {
  user: User;
  rooms: { [key: string]: MyRoom };
  watching: { [key: string]: WatchedRoom };
  tickets: { [key: string]: MyTicket };
  invitations: { [key: string]: Invitation };
  ratings: { [key: string]: { [key: string]: Standing } };
};

/** A room that you are part of; without `seat` you are its host only. */
export type MyRoom = {
  game: string;
  status: "open" | "playing" | "ended";
  seat?: number;
  to_move: boolean;
  /** Your ticket for the queue that became this room. */
  ticket?: string;
};

/** A place in the queue, and what you asked for in `queue.join`.
 * 
 * `since` is unix ms, `place` counts from 1 over the whole queue. `window` is how far the ratings
 * of opponents may lie from yours; without it, any distance. */
export type MyTicket = {
  game: string;
  seats: number[];
  rated: boolean;
  clock?: Bank | PerTurn;
  fill_with_bots_after_s?: number;
  state: "waiting" | "found";
  since: number;
  place: number;
  expected_wait_s?: number;
  window?: number;
  match?: ReadyCheck;
};

/** The same time anew for each turn. */
export type PerTurn = {
  per_turn_s: number;
};

/** Ask for the server's time; `t` comes back as it was. */
export type Ping = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "ping";
  /** Comes back as it is. */
  t?: number | null;
};

/** A finished game, by seat. `ended` is unix ms; `rated` is whether it changed ratings. */
export type PlayedGame = {
  room: string;
  game: string;
  ended: number;
  rated: boolean;
  reason: "last_card" | "two_passes" | "rounds_done" | "resigned" | "timeout" | "abandoned" | "aborted";
  seats: { [key: string]: PlayedSeat };
};

/** Who sat there: `user`, or the built-in `bot`; how he did, and his rating, if it changed. */
export type PlayedSeat = {
  user?: User;
  bot?: string;
  place?: number;
  score?: number;
  rating?: RatingChange;
};

/** The room's rows do not replay; it is not played on until an operator has mended it. */
export type QuarantinedNotice = {
  type: "notice";
  kind: "quarantined";
  topic: string;
};

/** Those who wait for one kind of table, and how long others like them waited of late. */
export type Queue = {
  waiting: number;
  /** Of late; left out while nobody has been matched. */
  expected_wait_s?: number;
};

/** Answer a ready check. */
export type QueueAccept = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "queue.accept";
  /** Its id. */
  ticket: string;
  /** `false` gives the ticket up. */
  accept: boolean;
};

/** Wait for opponents in a game: one ticket for each user and game. */
export type QueueJoin = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "queue.join";
  game: string;
  /** All numbers of players that you take; a larger table is preferred. */
  seats: number[];
  /** Default: no clock. */
  clock?: Bank | PerTurn | null;
  /** Whether the game changes ratings. */
  rated: boolean;
  /** After so many seconds built-in bots may take free seats; casual only. */
  fill_with_bots_after_s?: number | null;
};

/** Give the ticket up; in a ready check this declines. */
export type QueueLeave = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "queue.leave";
  /** Its id. */
  ticket: string;
};

/** A rating before and after a game. */
export type RatingChange = {
  before: number;
  after: number;
};

/** A match was found: answer by `queue.accept` before `deadline` (unix ms).
 * 
 * `accepted` of the `of` people have done so. */
export type ReadyCheck = {
  /** Unix ms. */
  deadline: number;
  /** How many have accepted. */
  accepted: number;
  /** How many have to. */
  of: number;
  /** Whether you have. */
  you: boolean;
};

/** Which numbers the game was played with. */
export type RecordEdition = {
  name: string;
  /** Of the file. */
  sha256: string;
};

/** All that the shuffles came from. */
export type RecordFairness = {
  /** SHA-256 of the seed, in hex. */
  commit: string;
  /** Which random stream: 1. */
  stream: number;
  /** By seat, of those who gave one. */
  nonces?: { [key: string]: string };
  /** 32 bytes in hex. */
  seed: string;
  /** Somebody chose the seed, so the shuffles prove nothing. */
  seed_chosen?: true;
};

/** How it ended; `scores` and `placement` by seat. */
export type RecordResult = {
  reason: "last_card" | "two_passes" | "rounds_done" | "resigned" | "timeout" | "abandoned" | "aborted";
  scores?: { [key: string]: number };
  /** 1 for the first; ties share. */
  placement?: { [key: string]: number };
};

/** Who sat there when the game began. */
export type RecordSeat = {
  user?: User;
  /** Name of a bot: built in, or of a game in process. */
  bot?: string;
};

/** `ok`: the request was done. Which members it has depends on the request. */
export type Reply = {
  type: "ok";
  /** The `id` of the request. */
  re?: string | number;
  /** Who you are, or whose the token is. */
  user?: User;
  /** Shown this once. */
  token?: string;
  tokens?: TokenInfo[];
  /** As you sent it. */
  t?: number;
  /** The server's time, unix ms. */
  now?: number;
  epoch?: string;
  /** Of the document, after what was asked for is done. */
  seq?: number;
  /** Whether exactly the missed diffs follow. */
  recovered?: boolean;
  ticket?: string;
  room?: string;
  seat?: number;
  /** The code of a private room. */
  invite?: string;
  /** This answer was stored before; no diff follows. */
  duplicate?: true;
  games?: PlayedGame[];
  /** Give it as `before` to get the next page. */
  next?: string;
};

/** Somebody gave up, or had to. */
export type ResignEntry = {
  type: "resign";
  seat: number;
  reason: "resigned" | "timeout" | "abandoned";
  /** Unix ms. */
  at?: number;
};

/** He had the seat back from the bot. */
export type ReturnEntry = {
  type: "return";
  seat: number;
  /** Unix ms. */
  at?: number;
};

/** Topic `room:<id>`. */
export type Room = {
  id: string;
  game: string;
  /** Version of the game's rules. */
  rules: number;
  /** Of the game, complete. */
  options: JsonObject;
  status: "open" | "playing" | "ended";
  visibility: "public" | "private";
  rated: boolean;
  on_timeout: "forfeit" | "default" | "bot";
  /** Id of a user. */
  host: string;
  /** Unix ms. */
  created: number;
  fairness: Fairness;
  /** By number, from 0. */
  seats: { [key: string]: RoomSeat };
  /** How many watch without a seat. */
  spectators: number;
  clock?: RoomClock;
  /** There while somebody has to decide. */
  turn?: Turn;
  /** The game's public part, from the start on. */
  view?: JsonObject;
  /** There while you sit here. */
  you?: You;
  /** There once it has ended. */
  result?: RoomResult;
  /** Id of the room in which it goes on. */
  rematch?: string;
};

/** End a room, whatever its state, without a winner. Needs the scope `admin`. */
export type RoomAbort = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.abort";
};

/** Seat one of the server's own bots (`hello.games[game].bots`). Host only. */
export type RoomAddBot = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.add_bot";
  /** Its name. */
  bot: string;
  /** Default: the lowest free one. */
  seat?: number | null;
};

/** Say something to the players, or to everybody in the room. */
export type RoomChat = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.chat";
  text: string;
  /** Whom it reaches. */
  to: "players" | "all";
};

/** `clock` of a room. `banks_ms` (by seat) stand as they were when `running` began to run.
 * 
 * The seat `running` has until `deadline` (unix ms). */
export type RoomClock = {
  mode: Bank | PerTurn;
  /** By seat. */
  banks_ms: { [key: string]: number };
  /** The seat that decides. */
  running?: number;
  /** Unix ms by the server's clock. */
  deadline?: number;
};

/** Open a room and, unless `sit` is false, take seat 0. */
export type RoomCreate = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "room.create";
  game: string;
  /** The exact number of players. */
  seats: number;
  /** Of the game; what is left out has its default. */
  options?: JsonObject | null;
  /** A private room is in no lobby, and asks for its code. */
  visibility: "public" | "private";
  /** Default false. */
  rated?: boolean | null;
  /** Default: `forfeit` for 2 seats, `bot` for more. */
  on_timeout?: "forfeit" | "default" | "bot" | null;
  /** Default: no clock. */
  clock?: Bank | PerTurn | null;
  /** Fixes the shuffles; everybody sees that it was chosen. */
  seed?: string | null;
  /** Default true. */
  sit?: boolean | null;
  /** Your part in the shuffles; ignored if `sit` is false. */
  nonce?: string | null;
};

/** Make the person on a seat the host. Host only. */
export type RoomHost = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.host";
  seat: number;
};

/** Invite a user, by id or name; it shows up in his `me.invitations`. */
export type RoomInvite = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.invite";
  /** Id or name. */
  user: string;
  /** The one that he is to have, if it is free. */
  seat?: number | null;
};

/** Take a free seat, the lowest unless one is named; in a running game, your own back. */
export type RoomJoin = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.join";
  /** Default: where you were invited to, else the lowest free one. */
  seat?: number | null;
  /** The code of a private room. */
  invite?: string | null;
  /** Your part in the shuffles. */
  nonce?: string | null;
};

/** Leave your seat. In a running game `on_timeout` says what becomes of it. */
export type RoomLeave = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.leave";
};

/** Say whether you are ready; the game starts when all seats are taken and ready. */
export type RoomReady = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.ready";
  /** `false` takes it back. */
  ready: boolean;
  /** Your part in the shuffles. */
  nonce?: string | null;
};

/** Play again with the same settings and seats: opens the new room, or joins it. */
export type RoomRematch = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.rematch";
};

/** Free a seat of an open room; its user may not join again until invited. Host only. */
export type RoomRemove = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.remove";
  seat: number;
};

/** Give the game up. */
export type RoomResign = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.resign";
};

/** How it ended; `scores` and `placement` by seat, when a game was played.
 * 
 * `ratings` by seat come a moment later, when the game was rated. */
export type RoomResult = {
  reason: "last_card" | "two_passes" | "rounds_done" | "resigned" | "timeout" | "abandoned" | "aborted";
  scores?: { [key: string]: number };
  placement?: { [key: string]: number };
  ratings?: { [key: string]: RatingChange };
};

/** One seat; empty when free. `bot` plays, for itself or in place of `user`. */
export type RoomSeat = {
  user?: User;
  /** Name of a built-in bot. */
  bot?: string;
  ready?: boolean;
  /** Whether the user has a connection. */
  online?: boolean;
  /** Since when he has none, unix ms. */
  away_since?: number;
};

/** Start without waiting for `ready`. Host only; all seats must be taken. */
export type RoomStart = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.start";
};

/** Change the settings of an open room. Host only; resets everybody's `ready`. */
export type RoomUpdate = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  /** Its id. */
  room: string;
  type: "room.update";
  /** All of them anew. */
  options?: JsonObject | null;
  /** The exact number of players. */
  seats?: number | null;
  clock?: Bank | PerTurn | null;
  on_timeout?: "forfeit" | "default" | "bot" | null;
  visibility?: "public" | "private" | null;
};

/** Stop the server's time, or let it go on from where it stands. */
export type SandboxClock = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "sandbox.clock";
  freeze: boolean;
};

/** Open a room whose game will go on from a position of a record. You are its host. */
export type SandboxLoad = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "sandbox.load";
  /** As from `/api/games/{id}` or `hoftag arena --out`; its end may be missing. */
  record: JsonObject;
  /** How many of its entries have been played; default 0. */
  step?: number | null;
  /** Your seat; none if you only host. */
  seat?: number | null;
  /** Built-in bots by seat; other seats are free to be joined. */
  bots?: { [key: string]: never } | null;
  /** Default `public`. */
  visibility?: "public" | "private" | null;
  /** As in `room.create`. */
  on_timeout?: "forfeit" | "default" | "bot" | null;
  /** Default: no clock. */
  clock?: Bank | PerTurn | null;
};

/** Disturb what the server sends on this connection from now on; without fields: no more. */
export type SandboxNetwork = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "sandbox.network";
  /** Each frame comes so much later. */
  delay_ms?: number | null;
  /** And up to so much later than that; frames keep their order. */
  jitter_ms?: number | null;
  /** Nothing comes for so long, then all at once. */
  stall_ms?: number | null;
  /** After so many frames the connection is cut in place of the next one. */
  drop_after?: number | null;
  /** With `drop_after` and no `close_code`: half of that next frame comes. */
  tear?: true | null;
  /** Close with this code: at once, or in place of the cut of `drop_after`. */
  close_code?: number | null;
  /** Do the same on so many next connections of yours, from the `ok` of `auth` on. */
  again?: number | null;
};

/** Have all documents begin anew and all connections end, as a restart of the server does. */
export type SandboxRestart = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "sandbox.restart";
  /** Cut the connections without a goodbye; default false. */
  kill?: boolean | null;
};

/** Let time pass at once; all that falls due in it is done before the `ok`. */
export type SandboxStep = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "sandbox.step";
  /** At most 31 days. */
  ms: number;
};

/** Which program the server is. */
export type ServerInfo = {
  name: string;
  version: string;
  sandbox?: true;
};

/** What the server sends. Ignore fields and types that you do not know. */
export type ServerMessage = Hello | Reply | ErrorReply | State | Diff | ChatNotice | DrainingNotice | QuarantinedNotice | MatchFailedNotice | Bye;

/** The last document that a client has: `epoch` and `seq` of its newest `state` or `diff`. */
export type Since = {
  epoch: string;
  seq: number;
};

/** What somebody is rated, in games of one seat class (`2`, `3-5`). */
export type Standing = {
  rating: number;
  /** Rated ones. */
  games: number;
  /** Too few games yet for the rating to mean much. */
  provisional: boolean;
};

/** The whole document of a topic, as you may see it. */
export type State = {
  type: "state";
  topic: string;
  epoch: string;
  seq: number;
  /** Its type is told by the topic. */
  doc: JsonObject;
};

export type StauferAction = StauferUse | StauferSupply | StauferTakeFrom | StauferDeploy | StauferPay | StauferBuy | StauferEndTurn | StauferKeepChest | StauferTakeChest | StauferStay | StauferReturn | StauferFirstPlace | StauferDecline;

/** Buy a privilege of the display for violet chests. */
export type StauferBuy = {
  privilege: "points" | "share_office" | "discount_1" | "extra_chest" | "extra_envoy" | "travel_1" | "max_3" | "deploy_envoy" | "deploy_point" | "envoy_as_noble" | "double_envoy" | "win_ties" | "region_points" | "return_to_court" | "early_envoy" | "brown_joker";
  type: "buy";
};

/** A privilege for violet chests. */
export type StauferBuyEvent = {
  type: "buy";
  seat: number;
  privilege: string;
};

/** A seat gets chests; orange ones take effect at once. */
export type StauferChestsEvent = {
  type: "chests";
  seat: number;
  /** By id. */
  chests: { [key: string]: number };
  /** The office, space, privilege or reward. */
  by: string;
};

/** Figures from the offices of a scored region to the provinces, by seat. */
export type StauferClearedEvent = {
  type: "cleared";
  region: string;
  province: { [key: string]: { [key: string]: number } };
};

/** New chests, by space, and by region and office. */
export type StauferDealtEvent = {
  type: "dealt";
  spaces: { [key: string]: string };
  offices: { [key: string]: { [key: string]: string } };
};

/** Do nothing of what is offered. */
export type StauferDecline = {
  type: "decline";
};

/** Put a figure on an office; offices count from 0, the dearest first. */
export type StauferDeploy = {
  region: "aachen" | "augsburg" | "mailand" | "nimwegen" | "palermo" | "strassburg";
  /** From 0, the dearest first. */
  office: number;
  figure: "envoy" | "noble";
  type: "deploy";
};

/** A main action: a figure stands on an office; payments and chests follow. */
export type StauferDeployEvent = {
  type: "deploy";
  seat: number;
  region: string;
  office: number;
  figure: string;
};

/** Chests drawn for a reward that nobody took. */
export type StauferDiscardedEvent = {
  type: "discarded";
  chests: { [key: string]: number };
};

/** A set of printed numbers. */
export type StauferEditionView = {
  name: string;
  /** Of its file. */
  sha256: string;
  /** Some numbers are not those of the printed game; the catalog lists them. */
  reconstructed: boolean;
};

/** The game is over. */
export type StauferEndEvent = {
  type: "end";
  /** By seat. */
  points: number[];
  /** By seat, from 1; ties share. */
  placement: number[];
};

/** Buy nothing more and end the turn. */
export type StauferEndTurn = {
  type: "end_turn";
};

export type StauferEvent = StauferTurnEvent | StauferUseEvent | StauferSupplyEvent | StauferDeployEvent | StauferPayEvent | StauferFiguresEvent | StauferPointsEvent | StauferChestsEvent | StauferBuyEvent | StauferReshuffleEvent | StauferRegionsEvent | StauferRankingEvent | StauferRevealedEvent | StauferDiscardedEvent | StauferStayEvent | StauferReturnEvent | StauferClearedEvent | StauferDealtEvent | StauferKingEvent | StauferRoundEvent | StauferFirstPlaceEvent | StauferFinalEvent | StauferEndEvent;

/** A figure on an office: `envoy` or `noble`, and whose it is. */
export type StauferFigureView = {
  seat: number;
  figure: string;
};

/** Figures from the province to the court. */
export type StauferFiguresEvent = {
  type: "figures";
  seat: number;
  envoy: number;
  noble: number;
  /** The chest, privilege or rule. */
  by: string;
};

/** A seat's jobs with their points, its last points, and its total. */
export type StauferFinalEvent = {
  type: "final";
  seat: number;
  jobs: { [key: string]: number };
  brown: number;
  unused: number;
  /** The total. */
  points: number;
};

/** The points that a seat got at the end. */
export type StauferFinalView = {
  /** Points by job. */
  jobs: { [key: string]: number };
  /** Points for brown chests. */
  brown: number;
  /** Points for turquoise and violet chests. */
  unused: number;
};

/** The own family member at this position of the queue moves to its front. */
export type StauferFirstPlace = {
  /** From 1; 0 is the front. */
  position: number;
  type: "first_place";
};

/** A family member goes to the front of the queue. */
export type StauferFirstPlaceEvent = {
  type: "first_place";
  seat: number;
  /** Where the member stood. */
  position: number;
};

/** Keep one of two drawn chests; rank 2 gets the other. */
export type StauferKeepChest = {
  /** One of the revealed. */
  chest: string;
  type: "keep_chest";
};

/** Where the king stops, and the figures that went to the courts on his way, by seat. */
export type StauferKingEvent = {
  type: "king";
  region: string;
  steps: number;
  court: { [key: string]: { [key: string]: number } };
};

/** An office with what stands and lies on it. */
export type StauferOfficeView = {
  /** Figures, the one on the office included. */
  cost: number;
  /** No envoy may stand there. */
  noble_only: boolean;
  /** In order of arrival. */
  figures: StauferFigureView[];
  /** Under the office, by id. */
  chests: { [key: string]: number };
};

/** Options of a room. Raises ValueError unless a list names five different privileges. */
export type StauferOptions = {
  /** The five kinds in play besides the victory-point cards: a set, or five different ids. */
  privileges?: "blue" | "red" | ["share_office" | "discount_1" | "extra_chest" | "extra_envoy" | "travel_1" | "max_3" | "deploy_envoy" | "deploy_point" | "envoy_as_noble" | "double_envoy" | "win_ties" | "region_points" | "return_to_court" | "early_envoy" | "brown_joker", "share_office" | "discount_1" | "extra_chest" | "extra_envoy" | "travel_1" | "max_3" | "deploy_envoy" | "deploy_point" | "envoy_as_noble" | "double_envoy" | "win_ties" | "region_points" | "return_to_court" | "early_envoy" | "brown_joker", "share_office" | "discount_1" | "extra_chest" | "extra_envoy" | "travel_1" | "max_3" | "deploy_envoy" | "deploy_point" | "envoy_as_noble" | "double_envoy" | "win_ties" | "region_points" | "return_to_court" | "early_envoy" | "brown_joker", "share_office" | "discount_1" | "extra_chest" | "extra_envoy" | "travel_1" | "max_3" | "deploy_envoy" | "deploy_point" | "envoy_as_noble" | "double_envoy" | "win_ties" | "region_points" | "return_to_court" | "early_envoy" | "brown_joker", "share_office" | "discount_1" | "extra_chest" | "extra_envoy" | "travel_1" | "max_3" | "deploy_envoy" | "deploy_point" | "envoy_as_noble" | "double_envoy" | "win_ties" | "region_points" | "return_to_court" | "early_envoy" | "brown_joker"];
};

/** Pay one figure into the next region's payment area. */
export type StauferPay = {
  figure: "envoy" | "noble";
  type: "pay";
};

/** A figure goes to the payment area of a region. */
export type StauferPayEvent = {
  type: "pay";
  seat: number;
  region: string;
  figure: string;
};

/** What a player has. */
export type StauferPlayerView = {
  points: number;
  /** Figures at hand. */
  court: { [key: string]: number };
  /** Figures that are out of reach for now. */
  province: { [key: string]: number };
  /** By id. */
  chests: { [key: string]: number };
  /** Cards by id; `points` counts the victory-point cards. */
  privileges: { [key: string]: number };
};

/** A seat scores. */
export type StauferPointsEvent = {
  type: "points";
  seat: number;
  points: number;
  /** The chest, privilege or rule. */
  by: string;
};

/** What one seat sees besides. */
export type StauferPrivateView = {
  /** The own jobs, of kind 1, 2 and 3. */
  jobs: string[];
};

/** What everybody sees. */
export type StauferPublicView = {
  /** The numbers that are played with. */
  edition: StauferEditionView;
  /** The regions clockwise. */
  ring: string[];
  /** By round from 1. */
  rows: { [key: string]: StauferRowView };
  /** Tiles that are not in the rows. */
  unused: StauferUnusedView;
  /** From 1 to 5. */
  round: number;
  /** From 0. */
  turn_index: number;
  /** A region. */
  king: string;
  /** By id. */
  regions: { [key: string]: StauferRegionView };
  /** By space from 0, left to right. */
  supply: { [key: string]: StauferSpaceView };
  /** Chests face down. */
  stack: number;
  /** Chests by id. */
  discard: { [key: string]: number };
  /** Privilege cards for sale besides the victory-point cards. */
  display: { [key: string]: number };
  /** Victory-point cards for sale, the top first. */
  point_cards: number[];
  /** By seat. */
  players: { [key: string]: StauferPlayerView };
  /** Seats by position from 0, the top; positions of members that have acted are left out. */
  queue: { [key: string]: number };
  /** Seats from 0, the top, in order of arrival. */
  supply_track: { [key: string]: number };
  /** Seats from 0, the bottom, in order of arrival. */
  deploy_track: { [key: string]: number };
  /** What is to be done before the next turn; the highest number comes first. */
  agenda: { [key: string]: StauferStepView };
  /** Chests played in this turn, in table order. */
  used: string[];
  /** Regions that are scored this round, while they are. */
  scored: string[];
  /** Seats by region, the first rank first. */
  ranks: { [key: string]: number[] };
  /** Chests drawn for a reward. */
  revealed: { [key: string]: number };
  /** Figures that stay in clean-up. */
  staying: StauferStayingView[];
  /** Figures that return to the court in clean-up. */
  returning: StauferReturningView[];
  /** By seat, at the end: the jobs and the last points. */
  final?: { [key: string]: StauferFinalView };
};

/** A seat with its influence in a region. */
export type StauferRank = {
  seat: number;
  /** On the region's offices. */
  influence: number;
  /** What put the seat ahead of the next rank. */
  by?: "influence" | "win_ties" | "office" | "arrival";
};

/** The ranks in a region, for all that follows in its scoring. */
export type StauferRankingEvent = {
  type: "ranking";
  region: string;
  /** The first rank first. */
  ranks: StauferRank[];
};

/** A region of the board. */
export type StauferRegionView = {
  /** Points of ranks 1, 2 and 3. */
  tile: number[];
  /** Id; the catalog has its amounts. */
  reward: string;
  /** By number from 0, the dearest first. */
  offices: { [key: string]: StauferOfficeView };
  /** Figures in the payment area, by seat. */
  payments: { [key: string]: { [key: string]: number } };
};

/** All family members have acted: the regions that are scored, perhaps the same one twice. */
export type StauferRegionsEvent = {
  type: "regions";
  a: string;
  b: string;
};

/** The discard has become the stack, of so many chests. */
export type StauferReshuffleEvent = {
  type: "reshuffle";
  chests: number;
};

/** The kind of figure that returns to the court instead of the province. */
export type StauferReturn = {
  region: "aachen" | "augsburg" | "mailand" | "nimwegen" | "palermo" | "strassburg";
  figure: "envoy" | "noble";
  type: "return";
};

/** A figure of that kind will go to the court instead of the province. */
export type StauferReturnEvent = {
  type: "return";
  seat: number;
  region: string;
  figure: string;
};

/** A figure that returns to the court. */
export type StauferReturningView = {
  seat: number;
  region: string;
  /** Goes to the court in place of the province. */
  figure: string;
};

/** Chests drawn for a reward. */
export type StauferRevealedEvent = {
  type: "revealed";
  chests: { [key: string]: number };
};

/** The next round begins with this queue, top first. */
export type StauferRoundEvent = {
  type: "round";
  round: number;
  queue: number[];
};

/** The tiles of a round. */
export type StauferRowView = {
  /** A region. */
  a: string;
  /** `king`, `fewest_chests` or `most_offices`. */
  b: string;
  /** Steps of the king; the last row has none. */
  c?: number;
};

/** A supply space: its figures, and the chests under it. */
export type StauferSpaceView = {
  envoys: number;
  nobles: number;
  /** Under the space, by id. */
  chests: { [key: string]: number };
};

/** An own figure of a scored region stays on its office. */
export type StauferStay = {
  region: "aachen" | "augsburg" | "mailand" | "nimwegen" | "palermo" | "strassburg";
  /** From 0, the dearest first. */
  office: number;
  type: "stay";
};

/** A figure will stay on its office. */
export type StauferStayEvent = {
  type: "stay";
  seat: number;
  region: string;
  office: number;
};

/** A figure that stays on its office. */
export type StauferStayingView = {
  seat: number;
  region: string;
  office: number;
};

/** Something still to do; which members it has depends on `step`. */
export type StauferStepView = {
  /** What is to be done. */
  step: string;
  /** Whose it is. */
  seat?: number;
  region?: string;
  office?: number;
  space?: number;
  /** Payments still to make, the next of them into `region`. */
  left?: number;
  /** The seat of rank 2, which gets the other chest. */
  second?: number;
};

/** Take the figures and chests of a supply space; spaces count from 0, left to right. */
export type StauferSupply = {
  /** From 0, left to right. */
  space: number;
  type: "supply";
};

/** A main action: the figures and chests follow as events of their own. */
export type StauferSupplyEvent = {
  type: "supply";
  seat: number;
  space: number;
};

/** Take one of the revealed chests. */
export type StauferTakeChest = {
  /** One of the revealed. */
  chest: string;
  type: "take_chest";
};

/** Take one chest from under another space: `other_chest`. */
export type StauferTakeFrom = {
  /** Not the one whose figures were taken. */
  space: number;
  /** Lies there. */
  chest: string;
  type: "take_from";
};

/** The next family member's turn begins. */
export type StauferTurnEvent = {
  type: "turn";
  seat: number;
  /** Index of the turn, from 0. */
  turn: number;
};

/** Tiles that were left over at the setup. */
export type StauferUnusedView = {
  a: string;
  b: string;
  /** Steps of the king. */
  c: number[];
};

/** Play a turquoise chest before the action that it works on. */
export type StauferUse = {
  chest: "free_travel" | "single_figure" | "other_chest";
  type: "use";
};

/** A turquoise chest is played before its action. */
export type StauferUseEvent = {
  type: "use";
  seat: number;
  chest: string;
};

/** A bot played on for somebody absent. */
export type SubstituteEntry = {
  type: "substitute";
  seat: number;
  bot: string;
  /** Unix ms. */
  at?: number;
};

/** Make a token for a program of yours, or for a bot account of yours. */
export type TokenCreate = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "token.create";
  /** To tell your tokens apart. */
  name: string;
  /** What the token may be used for; `admin` is the operator's to give. */
  scopes: ("play" | "watch" | "admin")[];
  /** Your bot account that the token is for; made when it is new. */
  bot?: string | null;
};

/** A token that a user made; `bot` is for whom, unless it is for himself.
 * 
 * `created` and `last_used` are unix ms, the latter of the beginning of a day (UTC). */
export type TokenInfo = {
  name: string;
  scopes: ("play" | "watch" | "admin")[];
  bot?: User;
  created: number;
  last_used?: number;
};

/** List the tokens that you made. */
export type TokenList = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "token.list";
};

/** Make a token invalid at once. */
export type TokenRevoke = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "token.revoke";
  /** As given in `token.create`. */
  name: string;
};

/** Who decides, and the id of the decision. */
export type Turn = {
  seat: number;
  decision: number;
};

/** Get no more changes of a topic. */
export type Unwatch = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "unwatch";
  /** Of a document. */
  topic: string;
};

/** Somebody, as everybody sees him. */
export type User = {
  id: string;
  name: string;
  kind: "guest" | "person" | "bot";
};

/** Get a topic's document now and every change from now on. */
export type Watch = {
  /** Comes back as `re` in the reply; an integer lies within ±(2^53-1). */
  id?: string | number | null;
  type: "watch";
  /** Of a document. */
  topic: string;
  /** What you have of it; only what you missed then follows. */
  since?: Since | null;
  /** The code of a private room. */
  invite?: string | null;
};

/** A room that you watch and are no part of. */
export type WatchedRoom = {
  game: string;
  status: "open" | "playing" | "ended";
};

/** What only you see; the game's private part is merged into it. */
export type You = {
  seat: number;
  /** The code of a private room. */
  invite?: string;
  decision?: Decision;
};

/** The messages of a client by their `type`. */
export type Requests = {
  "auth": Auth;
  "ping": Ping;
  "watch": Watch;
  "unwatch": Unwatch;
  "games.list": GamesList;
  "room.create": RoomCreate;
  "room.join": RoomJoin;
  "room.leave": RoomLeave;
  "room.ready": RoomReady;
  "room.start": RoomStart;
  "room.resign": RoomResign;
  "room.rematch": RoomRematch;
  "room.update": RoomUpdate;
  "room.add_bot": RoomAddBot;
  "room.remove": RoomRemove;
  "room.host": RoomHost;
  "room.invite": RoomInvite;
  "room.chat": RoomChat;
  "room.abort": RoomAbort;
  "act": Act;
  "queue.join": QueueJoin;
  "queue.leave": QueueLeave;
  "queue.accept": QueueAccept;
  "account.register": AccountRegister;
  "account.login": AccountLogin;
  "account.rename": AccountRename;
  "account.password": AccountPassword;
  "account.delete": AccountDelete;
  "token.create": TokenCreate;
  "token.list": TokenList;
  "token.revoke": TokenRevoke;
  "sandbox.clock": SandboxClock;
  "sandbox.step": SandboxStep;
  "sandbox.load": SandboxLoad;
  "sandbox.network": SandboxNetwork;
  "sandbox.restart": SandboxRestart;
};

/** What actions, events, options and views are, by the name of the game. */
export type Games = {
  famiglia: {
    action: FamigliaAction;
    event: FamigliaEvent;
    options: FamigliaOptions;
    view: FamigliaPublicView;
    private: FamigliaPrivateView;
  };
  staufer: {
    action: StauferAction;
    event: StauferEvent;
    options: StauferOptions;
    view: StauferPublicView;
    private: StauferPrivateView;
  };
};

/** What is wrong with a request. */
export const ERROR_CODES: Readonly<Record<ErrorCode, { readonly meaning: string; readonly retriable: boolean }>> = {
  bad_message: { meaning: "The frame is JSON but not a valid message; `path` points at what is wrong. Mend the client.", retriable: false },
  unauthenticated: { meaning: "The message needs `auth` first. Send `auth`, then the message again.", retriable: false },
  forbidden: { meaning: "You may not do this: it is for the host, a seated player, a registered user or another scope, the host has removed you, or the password is wrong. Do not repeat it.", retriable: false },
  not_found: { meaning: "There is no such topic, room, seat, user, game or bot, or the invite is wrong. Look at the lobby or ask for a new invite.", retriable: false },
  conflict: { meaning: "The request does not fit the present state, e.g. the seat is taken or the game runs. Look at the document, then decide anew.", retriable: false },
  room_full: { meaning: "Every seat is taken. Watch the room; a seat may become free.", retriable: true },
  not_your_decision: { meaning: "That decision was or is another seat's. Wait for `you.decision`.", retriable: false },
  stale_decision: { meaning: "That decision was already answered otherwise. Answer the decision in the newest document.", retriable: false },
  illegal_action: { meaning: "The action is well formed but not on the legal list; `rule` names the rule. Choose from `legal`.", retriable: false },
  rate_limited: { meaning: "Too many messages, new users, rooms without a game, passwords or invites. Wait `retry_after_ms`, then send again.", retriable: true },
  limit_reached: { meaning: "A limit of `hello.limits` is reached, e.g. rooms per user. Leave a room, drop a watch or revoke a token first.", retriable: true },
  unavailable: { meaning: "The server could not store the change, or is about to stop; nothing has changed. Send the same message again after a short wait.", retriable: true },
  internal: { meaning: "The server failed; it has logged the failure. Try once more, then report it.", retriable: true },
};

/** Why the server closes a connection. */
export const CLOSE_CODES: Readonly<Record<CloseCode, { readonly meaning: string; readonly reconnect: boolean }>> = {
  4000: { meaning: "The server is stopping. Reconnect with backoff; watch with `since`.", reconnect: true },
  4001: { meaning: "You did not read what was sent. Read faster or watch less, then reconnect.", reconnect: true },
  4002: { meaning: "A second pong was missed. Reconnect with backoff.", reconnect: true },
  4003: { meaning: "No `auth` came in time. Reconnect and send `auth` at once.", reconnect: true },
  4004: { meaning: "Messages kept coming over the limit. Send less, then reconnect with backoff.", reconnect: true },
  4005: { meaning: "The server failed on this connection. Reconnect with backoff.", reconnect: true },
  4400: { meaning: "A binary frame, or text that is not JSON. Mend the client.", reconnect: false },
  4401: { meaning: "The token is unknown, or not valid any more. Authenticate anew, by a name or another token.", reconnect: false },
  4403: { meaning: "The operator has banned the user. Ask the operator.", reconnect: false },
  1007: { meaning: "A text frame is not UTF-8. Mend the client.", reconnect: false },
  1009: { meaning: "A frame is larger than `hello.limits.frame_bytes`. Mend the client.", reconnect: false },
};
