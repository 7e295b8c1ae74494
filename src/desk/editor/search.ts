/** The search panel. It is loaded when it is first opened. */
export { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
