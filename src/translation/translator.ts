/**
 * Translates many texts. Texts in the memory are not requested again; the others are sent to the engine in batches,
 * with retries.
 */
import { backOff } from '../kernel/back-off.js'
import { required } from '../kernel/defined.js'
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Memory } from './memory.js'
import { type Engine, EngineError, type Guidance, type LanguagePair } from './types.js'

/** Maximum number of attempts, and the pause before the second one. The pause doubles after each attempt. */
const TRIES = 5
const PAUSE = { firstMs: 500, maxMs: 60_000 }

/** The engine, language pair and guidance of a translation. */
export interface TranslationOrder {
  engine: Engine
  pair: LanguagePair
  guidance: Guidance
}

/** Returns a hash of everything that responses depend on, except the text. */
export function contextOf({ engine, pair, guidance }: TranslationOrder): string {
  const guidanceUsed = [
    engine.guided.instructions ? guidance.instructions : '',
    engine.guided.glossary ? guidance.glossary : [],
  ]
  return createHash('sha256')
    .update(JSON.stringify([engine.model, pair.from, pair.to, ...guidanceUsed]))
    .digest('base64url')
}

/**
 * Sends texts to the engine, and stores each batch of responses in the memory before the next request. Texts without a
 * valid response are omitted. Throws `EngineError` if the engine keeps failing, and the reason of `signal` if it is
 * aborted.
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

/**
 * Returns the responses to a batch. If the response is invalid, sends each half separately. A single text without a
 * valid response is omitted.
 */
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
    return new Map(texts.map((text, index) => [text, required(answers[index])]))
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
      const isRetryable = error instanceof EngineError && (error.kind === 'busy' || error.kind === 'unreachable')
      if (!isRetryable || tries >= TRIES) throw error
      const pause = error.retryAfterMs ?? backOff(tries, PAUSE)
      if (pause > PAUSE.maxMs)
        throw new EngineError('busy', `${error.message} Try again in ${Math.ceil(pause / 1000)} seconds.`, pause)
      await wait(pause, undefined, { signal })
    }
  }
}
