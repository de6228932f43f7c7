/* Folders and links that lead to a place, in an empty file system. */
#ifndef M2S_BASE_WALL_SKELETON_H
#define M2S_BASE_WALL_SKELETON_H

/* Makes below `root` all that the host has on the way to `path`: folders, and
 * symbolic links with the same text. An empty file stands for each file that is
 * not a folder. Names that the host lacks become folders. 0, or -1 and
 * errno. */
int skeleton_add(int root, const char *path);

#endif
