/** The engines that the settings name, in the order in which they are chosen, and the memory. */
import { createHttpClient } from '../outbound/index.js'
import { apertium } from './engines/apertium.js'
import { deepl } from './engines/deepl.js'
import { libreTranslate } from './engines/libretranslate.js'
import { openAi } from './engines/openai.js'
import { type Memory, openMemory } from './memory.js'
import type { Engine } from './types.js'

/** What the settings say of engines; null = there is no such engine. */
export interface TranslationOptions {
  deepl: { url: string; key: string } | null
  libreTranslate: { url: string; key: string } | null
  openAi: { url: string; key: string; model: string } | null
  /** Path of the command. */
  apertium: string | null
  /** For one request. */
  timeoutMs: number
  /** `User-Agent`. */
  agent: string
  memory: { file: string; maxBytes: number; notice: (message: string) => void }
}

/** What translates. */
export interface Translation {
  engines: readonly Engine[]
  memory: Memory
  close(): Promise<void>
}

/** Makes the engines. They are named by the operator, so they may be in private networks; no address comes from users, and no redirect is followed. */
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
