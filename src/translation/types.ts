/** The interface of translation engines and their input. */

/** A pair of languages, with the API's codes. */
export interface LanguagePair {
  from: string
  to: string
}

/** A term and its required translation. */
export interface GlossaryEntry {
  source: string
  target: string
}

/** Hints for an engine. Engines ignore hints that they do not support. */
export interface Guidance {
  /** '' if there are none. */
  instructions: string
  glossary: readonly GlossaryEntry[]
  /** Corrections by people: a source in markdown and its correct translation. */
  examples: readonly GlossaryEntry[]
}

const engineNames = ['deepl', 'libretranslate', 'openai', 'apertium'] as const
export type EngineName = (typeof engineNames)[number]

/** Maximum number of texts in one request, and of characters in all of them. */
interface BatchSize {
  texts: number
  characters: number
}

/** A translation engine. Texts are XML without a root: `<g id="1">text</g>`, `<x id="2"/>`, `&amp;`, `&lt;`, `&gt;`. */
export interface Engine {
  name: EngineName
  /**
   * Identifies everything that responses depend on, except texts, languages and guidance: the kind of engine and its
   * model.
   */
  model: string
  /** Whether responses depend on instructions and glossary. */
  guided: { instructions: boolean; glossary: boolean }
  batch: BatchSize
  /**
   * Returns the reason why the engine does not translate the pair, as a sentence; null if it does. Throws `EngineError`
   * if the request fails.
   */
  refusal(pair: LanguagePair, signal?: AbortSignal): Promise<string | null>
  /** Translates texts. A correct engine returns one response per text, in order. Throws `EngineError`. */
  translate(texts: readonly string[], pair: LanguagePair, guidance: Guidance, signal: AbortSignal): Promise<string[]>
}

/**
 * Thrown if an engine fails. `busy`: try again later; `unreachable`: there was no response; `bad-answer`: the response
 * is invalid; `refused`: the engine always rejects the request. The message is a sentence for users; it contains no key
 * and no text.
 */
export class EngineError extends Error {
  override name = 'EngineError'
  constructor(
    readonly kind: 'busy' | 'unreachable' | 'bad-answer' | 'refused',
    message: string,
    /** Milliseconds after which the engine asks for a retry. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}
