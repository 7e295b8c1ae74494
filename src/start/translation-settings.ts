/** The settings of translations: engines and limits. */
import { httpUrl, integer, key, optionalFile, optionalText } from './setting-values.js'
import { MIB, setting } from './setting.js'

export const translationSettings = {
  deeplUrl: setting<string | null>(
    'DEEPL_URL',
    httpUrl,
    '',
    'URL of DeepL: `https://api-free.deepl.com` or `https://api.deepl.com`. Requires `BINDERY_DEEPL_KEY`.',
  ),
  deeplKey: setting<string | null>('DEEPL_KEY', key, '', 'Key of a DeepL account, for translations. Secret.'),
  libreTranslateUrl: setting<string | null>(
    'LIBRETRANSLATE_URL',
    httpUrl,
    '',
    'URL of a LibreTranslate server, for translations. It may be in a private network.',
  ),
  libreTranslateKey: setting<string | null>(
    'LIBRETRANSLATE_KEY',
    key,
    '',
    'API key of the LibreTranslate server, if it requires one. Secret.',
  ),
  openaiUrl: setting<string | null>(
    'OPENAI_URL',
    httpUrl,
    '',
    'Base URL of a language model with the HTTP API of OpenAI, for translations: `https://api.openai.com/v1`. It may be in a private network. Requires ' +
      '`BINDERY_OPENAI_MODEL`.',
  ),
  openaiKey: setting<string | null>(
    'OPENAI_KEY',
    key,
    '',
    'API key of the language model, if it requires one. Secret.',
  ),
  openaiModel: setting<string | null>('OPENAI_MODEL', optionalText, '', 'Name of the model.'),
  apertium: setting<string | null>(
    'APERTIUM',
    optionalFile,
    '',
    'Path of the command `apertium`, for translations without a server. Install the packages `apertium` and one for each language pair, such as `apertium-eng-spa`.',
  ),
  translationSeconds: setting<number>(
    'TRANSLATION_SECONDS',
    integer(1, 3_600),
    '60',
    'Maximum duration of one request to a translation engine, in seconds.',
  ),
  translationCharacters: setting<number>(
    'TRANSLATION_CHARACTERS',
    integer(1_000, 1_000_000_000),
    '5000000',
    'Maximum number of characters that one translation run sends to an engine.',
  ),
  translationMemoryBytes: setting<number>(
    'TRANSLATION_MEMORY_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(512 * MIB),
    'Size of the translation memory, `translations.db` in the data folder, in bytes. The least recently used entries are deleted, and translated by the ' +
      'engine again when needed.',
  ),
} as const
