/** Opens the configured engines, in order of preference, and the translation memory. */
import { createHttpClient } from '../outbound/index.js'
import { apertium } from './engines/apertium.js'
import { deepl } from './engines/deepl.js'
import { libreTranslate } from './engines/libretranslate.js'
import { openAi } from './engines/openai.js'
import { type Memory, openMemory } from './memory.js'
import type { Engine } from './types.js'

/** The configuration of the engines; null = the engine is not configured. */
export interface TranslationOptions {
  deepl: { url: string; key: string } | null
  libreTranslate: { url: string; key: string } | null
  openAi: { url: string; key: string; model: string } | null
  /** The path of the command. */
  apertium: string | null
  /** The timeout of one request, in milliseconds. */
  timeoutMs: number
  /** `User-Agent`. */
  agent: string
  memory: { file: string; maxBytes: number; notice: (message: string) => void }
}

/** The engines and the memory. */
export interface Translation {
  engines: readonly Engine[]
  memory: Memory
  close(): Promise<void>
}

/**
 * Creates the engines. The operator configures their addresses, so they may be in private networks. No address comes
 * from users, and no redirect is followed.
 */
export function openTranslation(options: TranslationOptions): Translation {
  const http = createHttpClient({ allowPrivateNetworks: true, agent: options.agent })
  const access = { http, timeoutMs: options.timeoutMs }
  const { deepl: one, libreTranslate: two, openAi: three } = options
  const engines = [
    one && deepl(access, one.url, one.key),
    two && libreTranslate(access, two.url, two.key),
    three && openAi(access, three.url, three.key, three.model),
    options.apertium === null ? null : apertium(options.apertium, options.timeoutMs),
  ].filter((engine) => engine !== null)
  const memory = openMemory(options.memory)
  return {
    engines,
    memory,
    async close() {
      memory.close()
      await http.close()
    },
  }
}
