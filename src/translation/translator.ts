/** Translates many texts: what the memory has is not asked again, the rest goes to the engine in batches, with retries. */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Memory } from './memory.js'
import { type Engine, EngineError, type Guidance, type LanguagePair } from './types.js'

/** How often a request is tried in all, and the pause before the second try, which doubles after each. */
const TRIES = 5
const FIRST_PAUSE_MS = 500
/** Longest pause that an engine may ask for. */
const MAX_PAUSE_MS = 60_000

/** What is translated, how, and by what. */
export interface TranslationOrder {
  engine: Engine
  pair: LanguagePair
  guidance: Guidance
}

/** What answers depend on, besides the text. */
export function contextOf({ engine, pair, guidance }: TranslationOrder): string {
  const told = [
    engine.guided.instructions ? guidance.instructions : '',
    engine.guided.glossary ? guidance.glossary : [],
  ]
  return createHash('sha256')
    .update(JSON.stringify([engine.model, pair.from, pair.to, ...told]))
    .digest('base64url')
}

/**
 * Asks the engine for texts, and puts each batch of answers into the memory before the next one is asked. A text whose answer never came in a sound batch
 * is left out. Throws `EngineError` if the engine goes on failing, and what `signal` says.
 */
export async function askEngine(
  memory: Memory,
  order: TranslationOrder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const context = contextOf(order)
  const answers = new Map<string, string>()
  for (const batch of batches(texts, order.engine)) {
    const made = await askBatch(order, batch, signal)
    memory.put(context, made)
    for (const [text, answer] of made) answers.set(text, answer)
  }
  return answers
}

function* batches(texts: readonly string[], { batch }: Engine): Generator<string[]> {
  let next: string[] = []
  let characters = 0
  for (const text of texts) {
    if (next.length > 0 && (next.length >= batch.texts || characters + text.length > batch.characters)) {
      yield next
      next = []
      characters = 0
    }
    next.push(text)
    characters += text.length
  }
  if (next.length > 0) yield next
}

/** The answers to a batch. If they are no sound list, each half is asked by itself; a single text without a sound answer is left out. */
async function askBatch(
  order: TranslationOrder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  try {
    const answers = await withRetries(() => order.engine.translate(texts, order.pair, order.guidance, signal), signal)
    if (answers.length !== texts.length)
      throw new EngineError(
        'bad-answer',
        `The engine returned ${answers.length} translations for ${texts.length} texts.`,
      )
    return new Map(texts.map((text, index) => [text, answers[index] as string]))
  } catch (error) {
    if (!(error instanceof EngineError) || error.kind !== 'bad-answer') throw error
    if (texts.length === 1) return new Map()
    const half = texts.length >> 1
    return new Map([
      ...(await askBatch(order, texts.slice(0, half), signal)),
      ...(await askBatch(order, texts.slice(half), signal)),
    ])
  }
}

async function withRetries<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      signal.throwIfAborted()
      const again = error instanceof EngineError && (error.kind === 'busy' || error.kind === 'unreachable')
      if (!again || tries >= TRIES) throw error
      const pause = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (tries - 1)
      if (pause > MAX_PAUSE_MS)
        throw new EngineError(
          'busy',
          `${error.message} It asks to be tried again in ${Math.ceil(pause / 1000)} seconds.`,
          pause,
        )
      await wait(pause, undefined, { signal })
    }
  }
}
