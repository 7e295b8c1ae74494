/** Chooses the engine of a translation. */
import { type Engine, EngineError, type LanguagePair } from '../../translation/index.js'
import type { App } from '../context/app.js'

/** The engine that translates a pair, or why there is none. `unsure`: an engine could not be asked. */
type Choice = { engine: Engine } | { engine: null; reasons: string[]; unsure: boolean }

/** The engine of this name, or the first that knows the pair. */
export async function chooseEngine(
  { translation }: Pick<App, 'translation'>,
  pair: LanguagePair,
  name: string | undefined,
): Promise<Choice> {
  const named = translation.engines.filter((engine) => name === undefined || engine.name === name)
  if (named.length === 0) {
    const missing = name === undefined ? 'The server has no engine that translates' : `The server has no engine ${name}`
    return { engine: null, reasons: [`${missing}: an administrator of the server can set one up.`], unsure: false }
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
