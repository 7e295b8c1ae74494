/** The syntax colors of common editor themes. The ramp makes each legible on the backgrounds of a site. */

/** The colors of a code theme by token. */
export type CodeColors = Record<'keyword' | 'string' | 'number' | 'name', string>

/** Keyword, string, number and name of each theme, in hexadecimal digits. */
const THEMES: Readonly<Record<string, string>> = {
  andromeeda: 'c74ded 96e072 f39c12 ffe66d',
  'ayu-dark': 'ff8f40 aad94c d2a6ff ffb454',
  'catppuccin-frappe': 'ca9ee6 a6d189 ef9f76 8caaee',
  'catppuccin-latte': '8839ef 40a02b fe640b 1e66f5',
  'catppuccin-macchiato': 'c6a0f6 a6da95 f5a97f 8aadf4',
  'catppuccin-mocha': 'cba6f7 a6e3a1 fab387 89b4fa',
  'dark-plus': 'c586c0 ce9178 b5cea8 dcdcaa',
  dracula: 'ff79c6 f1fa8c bd93f9 50fa7b',
  'dracula-soft': 'f286c4 e7ee98 bf9eee 62e884',
  'everforest-dark': 'e67e80 a7c080 d699b6 83c092',
  'everforest-light': 'f85552 8da101 df69ba 35a77c',
  'github-dark': 'f97583 9ecbff 79b8ff b392f0',
  'github-dark-default': 'ff7b72 a5d6ff 79c0ff d2a8ff',
  'github-dark-dimmed': 'f47067 96d0ff 6cb6ff dcbdfb',
  'github-light': 'd73a49 032f62 005cc5 6f42c1',
  'github-light-default': 'cf222e 0a3069 0550ae 8250df',
  'gruvbox-dark-medium': 'fb4934 b8bb26 d3869b 8ec07c',
  'gruvbox-light-medium': '9d0006 79740e 8f3f71 427b58',
  'light-plus': 'af00db a31515 098658 795e26',
  'material-theme': 'c792ea c3e88d f78c6c 82aaff',
  'material-theme-lighter': '9c3eda 91b859 f76d47 6182b8',
  'material-theme-ocean': 'c792ea c3e88d f78c6c 82aaff',
  'material-theme-palenight': 'c792ea c3e88d f78c6c 82aaff',
  'min-dark': 'f97583 ffab70 f8f8f8 b392f0',
  'min-light': 'd32f2f 22863a 1976d2 6f42c1',
  monokai: 'f92672 e6db74 ae81ff a6e22e',
  'night-owl': 'c792ea ecc48d f78c6c 82aaff',
  nord: '81a1c1 a3be8c b48ead 88c0d0',
  'one-dark-pro': 'c678dd 98c379 d19a66 61afef',
  'one-light': 'a626a4 50a14f 986801 4078f2',
  'rose-pine': '31748f f6c177 ebbcba ebbcba',
  'rose-pine-dawn': '286983 ea9d34 d7827e d7827e',
  'rose-pine-moon': '3e8fb0 f6c177 ea9a97 ea9a97',
  'snazzy-light': 'ff5c57 cf9c00 09a1ed 13bbb7',
  'solarized-dark': '859900 2aa198 d33682 268bd2',
  'solarized-light': '859900 2aa198 d33682 268bd2',
  'tokyo-night': 'bb9af7 9ece6a ff9e64 7aa2f7',
  'vitesse-dark': '4d9375 c98a7d 4c9a91 80a665',
  'vitesse-light': '1e754f b56959 2f798a 59873a',
}

/** The names of the themes. */
export const CODE_THEMES = Object.keys(THEMES)

/** Returns the colors of a code theme; null for the default ones and for themes that are not included. */
export function codeColors(theme: string): CodeColors | null {
  const colors = Object.hasOwn(THEMES, theme) ? THEMES[theme] : undefined
  if (colors === undefined) return null
  const [keyword = '', string = '', number = '', name = ''] = colors.split(' ').map((one) => `#${one}`)
  return { keyword, string, number, name }
}
