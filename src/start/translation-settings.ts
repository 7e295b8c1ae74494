/** The settings of translations: engines, and what runs may send. */
import { httpUrl, integer, key, optionalFile, optionalText } from './setting-values.js'
import { MIB, setting } from './setting.js'

export const translationSettings = {
  deeplUrl: setting<string | null>(
    'DEEPL_URL',
    httpUrl,
    '',
    'Address of DeepL: `https://api-free.deepl.com` or `https://api.deepl.com`. Needed with `BINDERY_DEEPL_KEY`.',
  ),
  deeplKey: setting<string | null>('DEEPL_KEY', key, '', 'Key of an account at DeepL, for translations. Secret.'),
  libreTranslateUrl: setting<string | null>(
    'LIBRETRANSLATE_URL',
    httpUrl,
    '',
    'Address of a LibreTranslate server, for translations; it may be in a private network.',
  ),
  libreTranslateKey: setting<string | null>('LIBRETRANSLATE_KEY', key, '', 'Its API key, if it asks for one. Secret.'),
  openaiUrl: setting<string | null>(
    'OPENAI_URL',
    httpUrl,
    '',
    'Base address of a language model behind the HTTP API of OpenAI, for translations: `https://api.openai.com/v1`; it may be in a private network. Needs `BINDERY_OPENAI_MODEL`.',
  ),
  openaiKey: setting<string | null>('OPENAI_KEY', key, '', 'Its API key, if it asks for one. Secret.'),
  openaiModel: setting<string | null>('OPENAI_MODEL', optionalText, '', 'Name of the model.'),
  apertium: setting<string | null>(
    'APERTIUM',
    optionalFile,
    '',
    'Path of the command `apertium` (packages `apertium` and one for each pair of languages, such as `apertium-eng-spa`), for translations without a server.',
  ),
  translationSeconds: setting<number>(
    'TRANSLATION_SECONDS',
    integer(1, 3_600),
    '60',
    'Longest time for one request to an engine of translations.',
  ),
  translationCharacters: setting<number>(
    'TRANSLATION_CHARACTERS',
    integer(1_000, 1_000_000_000),
    '5000000',
    'Most characters that one run of a translation may send to an engine.',
  ),
  translationMemoryBytes: setting<number>(
    'TRANSLATION_MEMORY_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(512 * MIB),
    'Size of the memory of translations, `translations.db` in the data folder, in bytes. What was not used for the longest time is dropped, and asked of the engine again when it is needed.',
  ),
} as const
