/* The files of this folder are joined in the order of meson.build, inside this function. Text from
   the trace is only ever set as textContent; nothing here makes markup of it. */
(function () {
'use strict';
