// What the compiler does not carry over: the migrations, which are read at run time from beside the code.
import { cpSync } from 'node:fs';

cpSync('src/store/migrations', 'dist/store/migrations', { recursive: true });
