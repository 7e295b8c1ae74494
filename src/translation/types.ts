/** What translates texts, and what it is told. */

/** A pair of languages, as the API names them. */
export interface LanguagePair {
  from: string
  to: string
}

/** A term and how it is to be translated. */
export interface GlossaryEntry {
  source: string
  target: string
}

/** What an engine is told besides the texts; it uses what it can. */
export interface Guidance {
  /** '' if there are none. */
  instructions: string
  glossary: readonly GlossaryEntry[]
  /** Corrections by people: a source in markdown, and what it should have become. */
  examples: readonly GlossaryEntry[]
}

const engineNames = ['deepl', 'libretranslate', 'openai', 'apertium'] as const
export type EngineName = (typeof engineNames)[number]

/** Most texts of one request, and most characters of all of them. */
interface BatchSize {
  texts: number
  characters: number
}

/** One engine. Texts are XML without a root: `<g id="1">text</g>`, `<x id="2"/>`, `&amp;`, `&lt;`, `&gt;`. */
export interface Engine {
  name: EngineName
  /** What answers depend on besides texts, languages and guidance: the kind of engine and its model. */
  model: string
  /** Whether answers depend on instructions and glossary. */
  guided: { instructions: boolean; glossary: boolean }
  batch: BatchSize
  /** Why it does not translate the pair, as a sentence; null if it does. Throws `EngineError` if it cannot be asked. */
  refusal(pair: LanguagePair, signal?: AbortSignal): Promise<string | null>
  /** Translates texts; the answers are in their order, and as many if the engine is sound. Throws `EngineError`. */
  translate(texts: readonly string[], pair: LanguagePair, guidance: Guidance, signal: AbortSignal): Promise<string[]>
}

/**
 * An engine did not answer. `busy`: it asks to be tried later; `unreachable`: no answer came; `bad-answer`: what came is not an answer;
 * `refused`: it will not answer, whatever is tried. The message is a sentence for users; it holds no key and no text.
 */
export class EngineError extends Error {
  override name = 'EngineError'
  constructor(
    readonly kind: 'busy' | 'unreachable' | 'bad-answer' | 'refused',
    message: string,
    /** Milliseconds after which it wants to be tried again. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}
