// The entry point of `translation/`: engines by configuration, retries, and the memory of their responses.
export { openTranslation, type Translation, type TranslationOptions } from './open.js'
export { askEngine, contextOf, type TranslationOrder } from './translator.js'
export {
  type Engine,
  EngineError,
  type EngineName,
  type GlossaryEntry,
  type Guidance,
  type LanguagePair,
} from './types.js'
