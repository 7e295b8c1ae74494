// The door of what translates texts: engines by configuration, retries, and the memory of what they answered.
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
