/** Documents as one client sees them, kept up to date by `state` and `diff`. */

import { ServerTime } from "./clock.js";
import type { Games, JsonObject, Room, RoomResult, You } from "./protocol/schema.js";

type AnyGame = {
  action: JsonObject & { type: string };
  event: JsonObject & { type: string };
  options: JsonObject;
  view: JsonObject;
  private: JsonObject;
};
type GameOf<G extends string> = G extends keyof Games ? Games[G] : AnyGame;

/** An action of a game: `Action<"famiglia">`; of any game without its name. */
export type Action<G extends string = string> = GameOf<G>["action"];
/** Something that happened in a game. */
export type GameEvent<G extends string = string> = GameOf<G>["event"];
/** The options of a game's rooms. */
export type Options<G extends string = string> = GameOf<G>["options"];
/** What everybody sees of a game. */
export type View<G extends string = string> = GameOf<G>["view"];

/** What only you see: your seat, the game's private part from the start on, perhaps a decision. */
export type YouDoc<G extends string = string> = Omit<You, "decision"> &
  Partial<GameOf<G>["private"]> & {
    decision?: { id: number; legal: Action<G>[]; default: number };
  };
/** The document of a room, with the types of its game. */
export type RoomDoc<G extends string = string> = Omit<Room, "options" | "view" | "you"> & {
  options: Options<G>;
  view?: View<G>;
  you?: YouDoc<G>;
};

/**
 * The newest version of what a topic shows you: the lobby, your account, or a room.
 *
 * `doc` is a plain JSON object. It is replaced by each change and never changed in place, so
 * whoever keeps a reference to it keeps that version. `epoch` and `seq` number the versions.
 */
export class Document<D extends object = JsonObject> {
  constructor(
    readonly topic: string,
    public doc: D,
    public epoch = "",
    public seq = 0,
  ) {}
}

/**
 * One room. `doc` is the whole document, the other members are views on it.
 *
 * docs/protocol.md, "Rooms", describes it. A `Table` is the only thing that a bot is given.
 */
export class Table<G extends string = string> extends Document<RoomDoc<G>> {
  readonly #time: ServerTime;

  constructor(doc: RoomDoc<G>, epoch = "", seq = 0, time = new ServerTime()) {
    super(`room:${doc.id}`, doc, epoch, seq);
    this.#time = time;
  }

  /** This version as an object of its own, which later changes leave alone. */
  snapshot(): Table<G> {
    return new Table<G>(this.doc, this.epoch, this.seq, this.#time);
  }

  /** The room's id; anybody who knows it may watch a public room. */
  get id(): string {
    return this.doc.id;
  }

  /** The name of the game, e.g. `famiglia`. */
  get game(): string {
    return this.doc.game;
  }

  /** The game's options in this room, complete. */
  get options(): Options<G> {
    return this.doc.options;
  }

  get status(): Room["status"] {
    return this.doc.status;
  }

  /** The number of seats. */
  get seats(): number {
    return Object.keys(this.doc.seats).length;
  }

  /** The game's public part, from the start on. */
  get view(): View<G> | undefined {
    return this.doc.view;
  }

  /** What only this seat sees: `seat`, the game's private part, perhaps `decision`. */
  get you(): YouDoc<G> | undefined {
    return this.doc.you;
  }

  /** The own seat; a spectator has none. */
  get seat(): number | undefined {
    return this.doc.you?.seat;
  }

  /** The seat that has to decide, while the game runs. */
  get turn(): number | undefined {
    return this.doc.turn?.seat;
  }

  /** Id of the decision that waits for this seat, if there is one. */
  get decision(): number | undefined {
    return this.doc.you?.decision?.id;
  }

  /** Every action that this seat may take now, complete and in the documented order. */
  get legal(): readonly Action<G>[] {
    return this.doc.you?.decision?.legal ?? [];
  }

  /** Index into `legal` of the action that is played for a seat that does not answer. */
  get default(): number | undefined {
    return this.doc.you?.decision?.default;
  }

  /**
   * By seat, the time that each had when the running clock began to run; {} without clocks.
   *
   * `timeLeftMs` is what is left of it now.
   */
  get banksMs(): Record<number, number> {
    return { ...this.doc.clock?.banks_ms };
  }

  /** When the time of the seat that decides is up, in unix ms of the server's clock. */
  get deadline(): number | undefined {
    return this.doc.clock?.deadline;
  }

  /**
   * By seat, the time that each has left at this moment; {} without clocks.
   *
   * It is reckoned by the server's clock, so ours may be wrong.
   */
  get timeLeftMs(): Record<number, number> {
    const left = this.banksMs;
    const { running, deadline } = this.doc.clock ?? {};
    if (running !== undefined && deadline !== undefined)
      left[running] = Math.max(0, deadline - this.#time.ms());
    return left;
  }

  /** Reason, scores and placement by seat, once the game has ended. */
  get result(): RoomResult | undefined {
    return this.doc.result;
  }
}
