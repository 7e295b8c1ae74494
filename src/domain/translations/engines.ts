/** Selects the engine of a translation. */
import { type Engine, EngineError, type LanguagePair } from '../../translation/index.js'
import type { App } from '../context/app.js'

/** The engine for a language pair, or the reasons why there is none. `unsure` means that an engine did not respond. */
type Choice = { engine: Engine } | { engine: null; reasons: string[]; unsure: boolean }

/** Selects the engine with this name, or the first one that supports the pair. */
export async function chooseEngine(
  { translation }: Pick<App, 'translation'>,
  pair: LanguagePair,
  name: string | undefined,
): Promise<Choice> {
  const named = translation.engines.filter((engine) => name === undefined || engine.name === name)
  if (named.length === 0) {
    const missing = name === undefined ? 'The server has no engine that translates' : `The server has no engine ${name}`
    return { engine: null, reasons: [`${missing}. An administrator of the server can configure one.`], unsure: false }
  }
  const reasons: string[] = []
  let unsure = false
  for (const engine of named) {
    try {
      const reason = await engine.refusal(pair)
      if (reason === null) return { engine }
      reasons.push(reason)
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      unsure = true
      reasons.push(error.message)
    }
  }
  return { engine: null, reasons, unsure }
}
